import Foundation
import KaisatsuSDK

/// A call of the SDK by its name in the story.
struct Operation: Sendable {
  let call: String
  let arguments: Arguments
  let take: Int?
  let address: URL
  let key: String
  let environment: Environment
  let options: Options

  func run() async throws -> JSONValue {
    guard let secret = environment.keys[key] else { throw Complaint("there is no key \(key)") }
    let server = KaisatsuServer(key: secret, address: address, options: options)
    if let result = try await operators(server) { return result }
    // Restricted keys are for apps: they are tried with the client that apps have.
    let result =
      key == "restricted"
      ? try await shared(Kaisatsu(restrictedKey: secret, address: address, options: options))
      : try await shared(server)
    guard let result else { throw Complaint("the SDK has no \(call)") }
    return result
  }

  private func shared<Side>(_ client: KaisatsuClient<Side>) async throws -> JSONValue? {
    if let result = try await maps(client.maps) { return result }
    if let result = try await recognition(client.recognition) { return result }
    if let result = try await users(client) { return result }
    switch call {
    case "health": return try plain(await client.health())
    case "ready": return try plain(await client.ready())
    default: return nil
    }
  }

  private func maps(_ maps: Maps) async throws -> JSONValue? {
    let a = arguments
    switch call {
    case "maps.railmapList":
      return try plain(
        await maps.railmapList(
          id: a.text("id"), stationCode: a.int("stationCode"), stationName: a.text("stationName"), gcs: a.gcs(),
          language: a.choice("language")))
    case "maps.railmapDetail":
      return try plain(
        await maps.railmapDetail(
          id: a.needed("id"), stationName: a.text("stationName"), stationCode: a.int("stationCode"), x: a.int("x"),
          y: a.int("y"), width: a.int("width"), height: a.int("height"), gcs: a.gcs(),
          language: a.choice("language")))
    case "maps.railmapData":
      return plain(
        try await maps.railmapData(
          id: a.needed("id"), x: a.int("x"), y: a.int("y"), width: a.int("width"), height: a.int("height"),
          format: a.choice("format"), scale: a.double("scale"), style: a.choice("style"),
          language: a.choice("language"), course: a.ints("course"), text: a.optionalFlag("text")))
    case "maps.stations":
      return try plain(
        await maps.stations(
          code: a.int("code"), name: a.text("name"), prefectureCode: a.int("prefectureCode"), type: a.text("type"),
          id: a.text("id"), limit: a.int("limit"), offset: a.int("offset"), gcs: a.gcs(),
          language: a.choice("language")))
    case "maps.eachStation":
      return try await all(
        maps.eachStation(
          name: a.text("name"), prefectureCode: a.int("prefectureCode"), type: a.text("type"), id: a.text("id"),
          gcs: a.gcs(), language: a.choice("language"), pageSize: a.int("limit") ?? 100))
    case "maps.stationNear":
      return try plain(
        await maps.stationNear(
          latitude: a.number("latitude"), longitude: a.number("longitude"), radius: a.int("radius"),
          limit: a.int("limit"), gcs: a.gcs(), language: a.choice("language")))
    case "maps.searchCourse":
      return try plain(
        await maps.searchCourse(
          from: a.needed("from"), to: a.needed("to"), via: a.texts("via"), id: a.text("id"), sort: a.choice("sort"),
          answerCount: a.int("answerCount"), gcs: a.gcs(), language: a.choice("language")))
    default: return nil
    }
  }

  private func users<Side>(_ client: KaisatsuClient<Side>) async throws -> JSONValue? {
    let a = arguments
    let (datasets, images) = (client.datasets, client.images)
    switch call {
    case "datasets.create" where a.text("from") == "storage":
      return try plain(
        await datasets.createFromStorage(
          name: a.needed("name"), token: a.needed("token"), idempotencyKey: a.text("idempotencyKey")))
    case "datasets.create":
      return try plain(
        await datasets.create(
          name: a.needed("name"), images: a.tagged("images"), token: a.needed("token"),
          idempotencyKey: a.text("idempotencyKey")))
    case "datasets.get":
      return try plain(
        await datasets.get(
          a.needed("dataSetId"), token: a.needed("token"), cursor: a.text("cursor"), limit: a.int("limit")))
    case "datasets.list":
      return try page(
        "dataSets", await datasets.list(token: a.needed("token"), cursor: a.text("cursor"), limit: a.int("limit")))
    case "datasets.each": return try await all(datasets.each(token: a.needed("token"), pageSize: a.int("limit")))
    case "datasets.update":
      return try plain(
        await datasets.update(a.needed("dataSetId"), a.changes(), token: a.needed("token")))
    case "datasets.undo":
      return try plain(await datasets.undo(a.needed("dataSetId"), token: a.needed("token")))
    case "datasets.delete":
      return nothing(try await datasets.delete(a.needed("dataSetId"), token: a.needed("token")))
    case "datasets.waitUntilReady":
      return try plain(
        await datasets.waitUntilReady(a.needed("dataSetId"), token: a.needed("token"), every: 0.2))
    case "images.upload":
      let seen = UploadSeen()
      let uploaded = try await images.upload(
        a.picture(), tag: a.text("tag"), name: a.text("name"), token: a.needed("token"),
        idempotencyKey: a.text("idempotencyKey"), progress: seen.tell)
      guard seen.isWhole else { throw Complaint("progress ended before the whole picture was sent") }
      return try plain(uploaded)
    case "images.list":
      return try page(
        "images", await images.list(token: a.needed("token"), cursor: a.text("cursor"), limit: a.int("limit")))
    case "images.each": return try await all(images.each(token: a.needed("token"), pageSize: a.int("limit")))
    case "images.get":
      return plain(try await images.get(a.needed("imageId"), token: a.needed("token"), size: a.text("size")))
    case "images.delete": return nothing(try await images.delete(a.needed("imageId"), token: a.needed("token")))
    default: return nil
    }
  }

  /// What only the client for servers has.
  private func operators(_ client: KaisatsuServer) async throws -> JSONValue? {
    let a = arguments
    switch call {
    case "datasets.getToken": return try plain(await client.datasets.getToken(userId: a.needed("userId")))
    case "recognition.feedbackTotals":
      let totals = try await client.recognition.feedbackTotals(
        modelName: a.text("modelName"), since: a.text("since"), until: a.text("until"), interval: a.text("interval"))
      return .object(["totals": try plain(totals)])
    case "recognition.explain":
      return try plain(await client.recognition.explain(recognitionId: a.needed("recognitionId")))
    case "catalogue.list":
      return try page(
        "items",
        await client.catalogue.list(
          category: a.text("category"), id: a.text("id"), barcode: a.text("barcode"), cursor: a.text("cursor"),
          limit: a.int("limit")))
    case "catalogue.each":
      return try await all(client.catalogue.each(category: a.text("category"), pageSize: a.int("limit")))
    case "catalogue.add":
      return try plain(
        await client.catalogue.add(
          a.item(), images: a.pictureList(), idempotencyKey: a.text("idempotencyKey")))
    case "catalogue.remove":
      return nothing(try await client.catalogue.remove(id: a.text("id"), barcode: a.text("barcode")))
    case "collections.list":
      return try page("collections", await client.collections.list(cursor: a.text("cursor"), limit: a.int("limit")))
    case "collections.each": return try await all(client.collections.each(pageSize: a.int("limit")))
    case "collections.add":
      return try plain(
        await client.collections.add(
          a.picture(), to: a.needed("collection"), imageId: a.needed("imageId"), tag: a.text("tag"),
          imageUrl: a.text("imageUrl"), modelName: a.text("modelName"), idempotencyKey: a.text("idempotencyKey")))
    case "collections.remove":
      return nothing(try await client.collections.remove(a.needed("collection"), imageId: a.text("imageId")))
    case "collections.images":
      return try page(
        "images",
        await client.collections.images(of: a.needed("collection"), cursor: a.text("cursor"), limit: a.int("limit")))
    case "collections.eachImage":
      return try await all(client.collections.eachImage(of: a.needed("collection"), pageSize: a.int("limit")))
    default: return nil
    }
  }
}
