import Foundation
import XCTest

@testable import KaisatsuSDK

/// Every operation of the server's document is offered, at its path, and repeated only where that is safe.
final class OperationsTests: XCTestCase {
  private struct Entry: Decodable {
    let operationId: String
    let method: String
    let path: String
    let group: String
    let name: String
    let repeatable: Bool
    let each: String?
    /// The operation that clients call in its place.
    let instead: String?

    var call: String { group.isEmpty ? name : "\(group).\(name)" }
  }

  private typealias Calls = [String: @Sendable (KaisatsuServer) async throws -> Void]

  private let offered: Calls = {
    let picture = Picture(Data("GIF89a".utf8))
    return [
      "health": { _ = try await $0.health() },
      "ready": { _ = try await $0.ready() },
      "maps.railmapData": { _ = try await $0.maps.railmapData(id: "tokyo") },
      "maps.railmapDetail": { _ = try await $0.maps.railmapDetail(id: "tokyo") },
      "maps.railmapList": { _ = try await $0.maps.railmapList() },
      "maps.searchCourse": { _ = try await $0.maps.searchCourse(from: "a", to: "b") },
      "maps.stations": { _ = try await $0.maps.stations() },
      "maps.stationNear": { _ = try await $0.maps.stationNear(latitude: 35.69, longitude: 139.7) },
      "recognition.classify": { _ = try await $0.recognition.classify(picture) },
      "recognition.explain": { _ = try await $0.recognition.explain(recognitionId: "r") },
      "recognition.feedback": { try await $0.recognition.feedback(recognitionId: "r", isValid: true) },
      "recognition.feedbackToCandidate": {
        try await $0.recognition.feedbackToCandidate(recognitionId: "r", itemId: "i", isValid: false)
      },
      "recognition.feedbackTotals": { _ = try await $0.recognition.feedbackTotals() },
      "recognition.models": { _ = try await $0.recognition.models() },
      "recognition.modelTags": { _ = try await $0.recognition.modelTags("{name}") },
      "recognition.thumbnail": { _ = try await $0.recognition.thumbnail(itemId: "i") },
      "recognition.detect": { _ = try await $0.recognition.detect(picture) },
      "recognition.recognize": { _ = try await $0.recognition.recognize(picture) },
      "recognition.similar": { _ = try await $0.recognition.similar(picture, collection: "c") },
      "recognition.readText": { _ = try await $0.recognition.readText(picture) },
      "datasets.create": { _ = try await $0.datasets.create(name: "n", images: [], token: "t") },
      "datasets.delete": { try await $0.datasets.delete("d", token: "t") },
      "datasets.get": { _ = try await $0.datasets.get("d", token: "t") },
      "datasets.getToken": { _ = try await $0.datasets.getToken(userId: "u") },
      "datasets.list": { _ = try await $0.datasets.list(token: "t") },
      "datasets.undo": { _ = try await $0.datasets.undo("d", token: "t") },
      "datasets.update": { _ = try await $0.datasets.update("d", DataSetChanges(name: "n"), token: "t") },
      "images.delete": { try await $0.images.delete("i", token: "t") },
      "images.get": { _ = try await $0.images.get("i", token: "t") },
      "images.list": { _ = try await $0.images.list(token: "t") },
      "images.upload": { _ = try await $0.images.upload(picture, token: "t") },
      "catalogue.list": { _ = try await $0.catalogue.list() },
      "catalogue.add": { _ = try await $0.catalogue.add(NewItem(id: "i", category: "book", name: "n")) },
      "catalogue.remove": { try await $0.catalogue.remove(id: "i") },
      "collections.list": { _ = try await $0.collections.list() },
      "collections.add": { _ = try await $0.collections.add(picture, to: "c", imageId: "i") },
      "collections.remove": { try await $0.collections.remove("c") },
      "collections.images": { _ = try await $0.collections.images(of: "c") },
    ]
  }()

  private let iterators: Calls = [
    "maps.eachStation": { for try await _ in $0.maps.eachStation() {} },
    "recognition.eachTag": { for try await _ in $0.recognition.eachTag("m") {} },
    "datasets.each": { for try await _ in $0.datasets.each(token: "t") {} },
    "images.each": { for try await _ in $0.images.each(token: "t") {} },
    "catalogue.each": { for try await _ in $0.catalogue.each() {} },
    "collections.each": { for try await _ in $0.collections.each() {} },
    "collections.eachImage": { for try await _ in $0.collections.eachImage(of: "c") {} },
  ]

  private func entries() throws -> [Entry] {
    try JSONDecoder().decode([Entry].self, from: repositoryFile("sdk/cases/operations.json"))
  }

  func testTheListHasEveryOperationOfTheDocument() throws {
    let document = try JSONDecoder().decode(JSONValue.self, from: repositoryFile("web/openapi/api.json"))
    guard case .object(let paths)? = document["paths"] else { return XCTFail("the document has no paths") }
    var documented: Set<String> = []
    for case .object(let methods) in paths.values {
      documented.formUnion(methods.values.compactMap { $0["operationId"]?.text })
    }
    XCTAssertEqual(documented, Set(try entries().map(\.operationId)))
  }

  func testEveryOperationIsOffered() throws {
    let entries = try entries()
    XCTAssertEqual(Set(offered.keys), Set(entries.map(\.call)))
    XCTAssertEqual(Set(iterators.keys), Set(entries.compactMap { entry in entry.each.map { "\(entry.group).\($0)" } }))
  }

  func testEveryOperationGoesToItsPath() async throws {
    for entry in try entries() where entry.instead == nil {
      let calls = [offered[entry.call], entry.each.flatMap { iterators["\(entry.group).\($0)"] }].compactMap { $0 }
      for call in calls {
        let transport = StubTransport([.fails(.permanent)])
        try? await call(client(transport))
        XCTAssertEqual(transport.requests.first?.method, entry.method, entry.operationId)
        let path = transport.requests.first?.url.path.replacingOccurrences(of: "/m/", with: "/{name}/")
        XCTAssertEqual(path, entry.path, entry.operationId)
      }
    }
  }

  func testACutConnectionIsRepeatedOnlyWhereThatIsSafe() async throws {
    for entry in try entries() {
      let transport = StubTransport([.fails(.cut)])
      try? await offered[entry.call]?(client(transport))
      XCTAssertEqual(transport.requests.count, entry.repeatable ? 3 : 1, entry.operationId)
    }
  }

  func testTheVersionIsThatOfAllClients() throws {
    let version = String(decoding: try repositoryFile("sdk/VERSION"), as: UTF8.self)
    XCTAssertEqual(sdkVersion, version.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
