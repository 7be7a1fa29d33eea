import Foundation

/// Users' datasets, which teach new categories.
///
/// Wherever a `dataSetId` is asked for, the user's own name of the dataset is taken too, as long as no other dataset of
/// the user has it.
public struct DataSets<Side: Sendable>: Sendable {
  let core: Core

  /// Makes a dataset of images, which is then built in the background: see ``waitUntilReady(_:token:every:timeout:)``.
  ///
  /// - Parameters:
  ///   - name: What the user calls it.
  ///   - images: Its images, each with a tag.
  ///   - token: The user's token.
  ///   - idempotencyKey: Used for no other request: the server does the work of the same request with the same key
  ///     once within a day. A random one when it is left out.
  public func create(
    name: String, images: [TaggedImage], token: String, idempotencyKey: String? = nil
  ) async throws(KaisatsuError) -> CreatedDataSet {
    let body: [String: JSONValue] = ["name": .string(name), "images": .array(images.map(\.json))]
    return try await core.decode(
      .post(path("createDataSet"), Query(token: token), json: body).once(idempotencyKey))
  }

  /// Makes a dataset of all images of the user's storage area that have a tag.
  ///
  /// - Parameters:
  ///   - name: What the user calls it; no other dataset of the user has this name.
  ///   - token: The user's token.
  ///   - idempotencyKey: Used for no other request: the server does the work of the same request with the same key
  ///     once within a day. A random one when it is left out.
  public func createFromStorage(
    name: String, token: String, idempotencyKey: String? = nil
  ) async throws(KaisatsuError) -> CreatedDataSet {
    let body: [String: JSONValue] = ["name": .string(name), "from": .string("storage")]
    return try await core.decode(
      .post(path("createDataSet"), Query(token: token), json: body).once(idempotencyKey))
  }

  /// A dataset and what became of its images.
  ///
  /// - Parameters:
  ///   - dataSetId: The dataset.
  ///   - token: The user's token.
  ///   - cursor: `nextCursor` of the answer before, for the images that follow.
  ///   - limit: How many images at most; 0 for none.
  public func get(
    _ dataSetId: String, token: String, cursor: String? = nil, limit: Int? = nil
  ) async throws(KaisatsuError) -> DataSet {
    var body = pageBody(cursor, limit)
    body["dataSetId"] = .string(dataSetId)
    return try await core.decode(.post(path("getDataSet"), Query(token: token), json: body, idempotent: true))
  }

  /// Some of the user's datasets, oldest first.
  ///
  /// - Parameters:
  ///   - token: The user's token.
  ///   - cursor: `nextCursor` of the page before.
  ///   - limit: How many at most.
  public func list(
    token: String, cursor: String? = nil, limit: Int? = nil
  ) async throws(KaisatsuError) -> Page<DataSet> {
    let answer: DataSetsAnswer = try await core.decode(
      .post(path("listDataSets"), Query(token: token), json: pageBody(cursor, limit), idempotent: true))
    return Page(elements: answer.dataSets, nextCursor: answer.nextCursor)
  }

  /// All datasets of the user, page by page.
  public func each(token: String, pageSize: Int? = nil) -> Pages<DataSet> {
    Pages { cursor throws(KaisatsuError) in try await list(token: token, cursor: cursor, limit: pageSize) }
  }

  /// Changes a dataset. If its images change, a new version is built in the background, and the dataset answers as
  /// before until that is ready: see ``DataSet/update``.
  ///
  /// - Parameters:
  ///   - dataSetId: The dataset.
  ///   - changes: What changes.
  ///   - token: The user's token.
  public func update(
    _ dataSetId: String, _ changes: DataSetChanges, token: String
  ) async throws(KaisatsuError) -> DataSet {
    var body = changes.json
    body["dataSetId"] = .string(dataSetId)
    return try await core.decode(.post(path("updateDataSet"), Query(token: token), json: body))
  }

  /// Takes the last change of a dataset back: a version that is being built is dropped, otherwise the version before
  /// answers again. Its name stays.
  public func undo(_ dataSetId: String, token: String) async throws(KaisatsuError) -> DataSet {
    let body: [String: JSONValue] = ["dataSetId": .string(dataSetId)]
    return try await core.decode(.post(path("undoDataSet"), Query(token: token), json: body))
  }

  /// Deletes a dataset. The images of the user's storage area stay.
  public func delete(_ dataSetId: String, token: String) async throws(KaisatsuError) {
    let body: [String: JSONValue] = ["dataSetId": .string(dataSetId)]
    try await core.perform(.post(path("deleteDataSet"), Query(token: token), json: body))
  }

  /// The progress of a dataset: the dataset itself each time that something has changed, the last time when it is
  /// ready.
  ///
  /// The stream ends with ``KaisatsuError/dataSetFailed(dataSetId:reason:)`` when the dataset could not be built.
  /// Ending the loop, or cancelling its task, ends the asking.
  ///
  /// - Parameters:
  ///   - dataSetId: The dataset.
  ///   - token: The user's token.
  ///   - interval: How many seconds are between two questions.
  public func progress(
    of dataSetId: String, token: String, every interval: TimeInterval = 1
  ) -> AsyncThrowingStream<DataSet, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do throws(KaisatsuError) {
          _ = try await watch(dataSetId, token, interval, until: .infinity) { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Waits until a dataset is ready and gives it back.
  ///
  /// - Parameters:
  ///   - dataSetId: The dataset.
  ///   - token: The user's token.
  ///   - interval: How many seconds are between two questions.
  ///   - timeout: After how many seconds it gives up with ``KaisatsuError/timeout(message:)``.
  public func waitUntilReady(
    _ dataSetId: String, token: String, every interval: TimeInterval = 1, timeout: TimeInterval = 600
  ) async throws(KaisatsuError) -> DataSet {
    try await watch(dataSetId, token, interval, until: ProcessInfo.processInfo.systemUptime + timeout) { _ in }
  }

  /// Asks until the dataset is ready, and tells of each change.
  private func watch(
    _ dataSetId: String, _ token: String, _ interval: TimeInterval, until end: TimeInterval,
    _ tell: (DataSet) -> Void
  ) async throws(KaisatsuError) -> DataSet {
    var last: DataSet?
    while true {
      let now = try await get(dataSetId, token: token, limit: 0)
      if now != last { tell(now) }
      last = now
      if now.state == .ready { return now }
      if now.state == .failed {
        throw .dataSetFailed(dataSetId: now.dataSetId, reason: now.reason)
      }
      guard ProcessInfo.processInfo.systemUptime + interval < end else {
        throw .timeout(message: "dataset \(dataSetId) was not ready in time")
      }
      do {
        try await Task.sleep(nanoseconds: UInt64(interval * 1_000_000_000))
      } catch {
        throw .cancelled
      }
    }
  }

  private func path(_ operation: String) -> String { core.image("userCategory/\(operation)") }
}

extension DataSets where Side == ServerSide {
  /// A token for a user of the application. Hand it to the user's app; the key stays here.
  ///
  /// - Parameter userId: The application's own name for its user, 1 to 200 characters.
  public func getToken(userId: String) async throws(KaisatsuError) -> UserToken {
    try await core.decode(.post(path("getToken"), json: ["userId": .string(userId)]))
  }
}

private struct DataSetsAnswer: Decodable {
  let dataSets: [DataSet]
  let nextCursor: String?
}

/// The body that asks for a part of a list.
func pageBody(_ cursor: String?, _ limit: Int?) -> [String: JSONValue] {
  var body: [String: JSONValue] = [:]
  if let cursor { body["cursor"] = .string(cursor) }
  if let limit { body["limit"] = .number(Double(limit)) }
  return body
}
