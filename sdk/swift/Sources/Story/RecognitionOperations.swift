import Foundation
import KaisatsuSDK

extension Operation {
  func recognition<Side>(_ recognition: Recognition<Side>) async throws -> JSONValue? {
    let a = arguments
    let count = a.int("numOfCandidates")
    switch call {
    case "recognition.classify":
      if let dataSetId = a.text("dataSetId") {
        return try plain(
          await recognition.classify(
            a.picture(), dataSetId: dataSetId, token: a.needed("token"), numOfCandidates: count))
      }
      return try plain(
        await recognition.classify(
          a.picture(), modelName: a.text("modelName"), numOfCandidates: count, language: a.text("language"),
          place: a.place(), gcs: a.gcs()))
    case "recognition.detect":
      return try plain(
        await recognition.detect(
          a.picture(), modelName: a.text("modelName"), numOfCandidates: count, minScore: a.double("minScore"),
          accuracy: a.choice("accuracy"), language: a.text("language")))
    case "recognition.similar":
      if let text = a.text("text") {
        return try plain(
          await recognition.similar(
            toText: text, collection: a.needed("collection"), numOfCandidates: count, minScore: a.double("minScore")))
      }
      if let dataSetId = a.text("dataSetId") {
        return try plain(
          await recognition.similar(
            a.picture(), dataSetId: dataSetId, token: a.needed("token"), numOfCandidates: count,
            minScore: a.double("minScore")))
      }
      return try plain(
        await recognition.similar(
          a.picture(), collection: a.needed("collection"), numOfCandidates: count, minScore: a.double("minScore")))
    case "recognition.recognize":
      return try plain(await recognition.recognize(a.picture(), recog: a.choice("recog"), numOfCandidates: count))
    case "recognition.readText": return try plain(await recognition.readText(a.picture(), language: a.text("language")))
    default: return try await verdicts(recognition)
    }
  }

  private func verdicts<Side>(_ recognition: Recognition<Side>) async throws -> JSONValue? {
    let a = arguments
    switch call {
    case "recognition.feedback":
      return nothing(
        try await recognition.feedback(
          recognitionId: a.needed("recognitionId"), isValid: a.flag("isValid"), comment: a.text("comment"),
          tag: a.text("tag"), idempotencyKey: a.text("idempotencyKey")))
    case "recognition.feedbackToCandidate":
      return nothing(
        try await recognition.feedbackToCandidate(
          recognitionId: a.needed("recognitionId"), itemId: a.needed("itemId"), isValid: a.flag("isValid"),
          comment: a.text("comment"), tag: a.text("tag"), idempotencyKey: a.text("idempotencyKey")))
    case "recognition.models": return .object(["tasks": try plain(await recognition.models())])
    case "recognition.thumbnail":
      if let collection = a.text("collection") {
        return plain(try await recognition.thumbnail(collection: collection, imageId: a.needed("imageId")))
      }
      return plain(try await recognition.thumbnail(itemId: a.needed("id")))
    case "recognition.modelTags":
      return try plain(
        await recognition.modelTags(
          a.needed("name"), language: a.text("language"), text: a.text("text"), limit: a.int("limit"),
          offset: a.int("offset")))
    case "recognition.eachTag":
      return try await all(
        recognition.eachTag(
          a.needed("name"), language: a.text("language"), text: a.text("text"), pageSize: a.int("limit") ?? 1000))
    default: return nil
    }
  }
}

// Typed results as plain JSON, by the rules of sdk/cases/README.md.
extension Operation {
  func plain(_ value: some Encodable) throws -> JSONValue {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return try JSONDecoder().decode(JSONValue.self, from: encoder.encode(value))
  }

  func plain(_ payload: Payload) -> JSONValue {
    .object(["contentType": .string(payload.contentType), "size": .number(Double(payload.data.count))])
  }

  func nothing(_: Void) -> JSONValue { .null }

  func page<Element: Encodable>(_ name: String, _ page: Page<Element>) throws -> JSONValue {
    .object([name: try plain(page.elements), "nextCursor": page.nextCursor.map { .string($0) } ?? .null])
  }

  /// The elements of a list, or so many of them as the step takes.
  func all<Element: Encodable & Sendable>(_ pages: Pages<Element>) async throws -> JSONValue {
    var elements: [JSONValue] = []
    for try await element in pages {
      elements.append(try plain(element))
      if elements.count == take { break }
    }
    return .array(elements)
  }
}

/// How much of an upload its progress has told of.
final class UploadSeen: @unchecked Sendable {
  private let lock = NSLock()
  private var sent: Int64 = 0
  private var total: Int64 = -1

  var isWhole: Bool { lock.withLock { sent == total } }

  @Sendable func tell(sent: Int64, total: Int64) {
    lock.withLock { (self.sent, self.total) = (sent, total) }
  }
}
