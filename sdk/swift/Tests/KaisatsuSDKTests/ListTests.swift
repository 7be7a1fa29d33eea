import Foundation
import XCTest

@testable import KaisatsuSDK

final class ListTests: XCTestCase {
  private func images(_ ids: [String], next: String?) -> StubTransport.Outcome {
    let images = ids.map {
      #"{"imageId":"\#($0)","sha256":"","bytes":1,"width":1,"height":1,"tag":"","name":"","createdAt":"2026-11-15T09:30:00Z"}"#
    }
    let cursor = next.map { #","nextCursor":"\#($0)""# } ?? ""
    return .json(#"{"images":[\#(images.joined(separator: ","))]\#(cursor)}"#)
  }

  private func dataSet(_ state: String, fetched: Int, reason: String = "null") -> StubTransport.Outcome {
    .json(
      """
      {"dataSetId":"d","name":"n","state":"\(state)","since":"2026-11-15T09:30:00Z","createdAt":"2026-11-15T09:30:00Z",
       "model":"general","reason":\(reason),"images":[],"progress":{"total":2,"done":\(fetched),"pending":0,
       "fetched":\(fetched),"tooLarge":0,"notAnImage":0,"notFound":0,"timedOut":0,"denied":0,"overQuota":0,"failed":0}}
      """)
  }

  func testAllPagesAreReadInOrder() async throws {
    let transport = StubTransport([images(["a", "b"], next: "c2"), images([], next: "c3"), images(["c"], next: nil)])
    var ids: [String] = []
    for try await image in client(transport).images.each(token: "t", pageSize: 2) { ids.append(image.imageId) }
    XCTAssertEqual(ids, ["a", "b", "c"])
    let bodies = transport.requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
    XCTAssertFalse(bodies[0].contains("cursor"))
    XCTAssertTrue(bodies[2].contains("c3"), bodies[2])
  }

  func testPagesAreFetchedOnlyWhenTheyAreAskedFor() async throws {
    let transport = StubTransport([images(["a", "b"], next: "c2"), images(["c"], next: nil)])
    for try await image in client(transport).images.each(token: "t") where image.imageId == "b" { break }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testAnErrorOfALaterPageReachesTheLoop() async throws {
    let transport = StubTransport([images(["a"], next: "c2"), .json("", status: 404)])
    var ids: [String] = []
    do {
      for try await image in client(transport).images.each(token: "t") { ids.append(image.imageId) }
      XCTFail("it ended without an error")
    } catch {
      guard case .notFound? = error as? KaisatsuError else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(ids, ["a"])
  }

  func testProgressIsToldOnceAChangeUntilTheDatasetIsReady() async throws {
    let transport = StubTransport([
      dataSet("queued", fetched: 0), dataSet("queued", fetched: 0), dataSet("building", fetched: 1),
      dataSet("ready", fetched: 2),
    ])
    var states: [String] = []
    for try await now in client(transport).datasets.progress(of: "d", token: "t", every: 0) {
      states.append("\(now.state.rawValue) \(now.progress.fetched)")
    }
    XCTAssertEqual(states, ["queued 0", "building 1", "ready 2"])
  }

  func testADatasetThatFailedIsAnError() async {
    let transport = StubTransport([dataSet("failed", fetched: 0, reason: "\"no image\"")])
    let error = await failure { () async throws(KaisatsuError) in
      try await client(transport).datasets.waitUntilReady("d", token: "t", every: 0)
    }
    XCTAssertEqual(error, .dataSetFailed(dataSetId: "d", reason: "no image"))
  }

  func testWaitingEndsAfterItsTime() async {
    let transport = StubTransport([dataSet("queued", fetched: 0)])
    let error = await failure { () async throws(KaisatsuError) in
      try await client(transport).datasets.waitUntilReady("d", token: "t", every: 0.001, timeout: 0.01)
    }
    guard case .timeout? = error else { return XCTFail("\(String(describing: error))") }
  }

  func testWaitingEndsWhenItsTaskIsCancelled() async {
    let transport = StubTransport([dataSet("queued", fetched: 0)])
    let task = Task {
      await failure { () async throws(KaisatsuError) in
        try await client(transport).datasets.waitUntilReady("d", token: "t", every: 60)
      }
    }
    while transport.requests.isEmpty { await Task.yield() }
    task.cancel()
    let error = await task.value
    XCTAssertEqual(error, .cancelled)
  }
}
