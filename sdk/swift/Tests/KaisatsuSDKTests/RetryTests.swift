import Foundation
import XCTest

@testable import KaisatsuSDK

final class RetryTests: XCTestCase {
  private let health = #"{"status":"ok","version":"0.1.0","somethingNew":1}"#
  private let refusal = #"{"error":{"code":"204","message":"models: too many requests"}}"#

  func testARefusalIsFollowedByAnotherAttempt() async throws {
    let transport = StubTransport([.json(refusal, status: 429, ["Retry-After": "0"]), .json(health)])
    let answer = try await client(transport).health()
    XCTAssertEqual(answer.status, "ok")
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testTheLastRefusalIsThrownWithAllThatTheServerSaid() async {
    let transport = StubTransport([.json(refusal, status: 429, ["retry-after": "0", "X-Request-Id": "r-1"])])
    let error = await failure { () async throws(KaisatsuError) in try await client(transport).health() }
    XCTAssertEqual(
      error,
      .rateLimited(
        ServerFailure(
          status: 429, code: "204", message: "models: too many requests", requestId: "r-1", retryAfter: 0)))
    XCTAssertEqual(transport.requests.count, 3)
  }

  func testAWaitBeyondTheTotalTimeIsNotBegun() async {
    let transport = StubTransport([.json(refusal, status: 429, ["Retry-After": "3600"])])
    let error = await failure { () async throws(KaisatsuError) in try await client(transport).health() }
    XCTAssertEqual(error?.retryAfter, 3600)
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testAnUploadThatWasNotSentIsSentAgain() async {
    let transport = StubTransport([.fails(.notSent), .fails(.cut)])
    let error = await failure { () async throws(KaisatsuError) in
      try await client(transport).recognition.classify(Picture(Data()))
    }
    XCTAssertEqual(error, .transport(message: "as prepared"))
    XCTAssertEqual(transport.requests.count, 2)
  }

  func testWhatCreatesSomethingIsSentAgainWithTheSameKey() async throws {
    let created = #"{"dataSetId":"d","state":"queued"}"#
    let transport = StubTransport([.fails(.cut), .json("{}", status: 409, ["Retry-After": "0"]), .json(created)])
    let answer = try await client(transport).datasets.create(name: "n", images: [.stored("i")], token: "t")
    XCTAssertEqual(answer.dataSetId, "d")
    let keys = transport.requests.map { $0.headers["Idempotency-Key"] }
    XCTAssertEqual(keys.count, 3)
    XCTAssertNotNil(UUID(uuidString: keys[0] ?? ""))
    XCTAssertEqual(Set(keys).count, 1)
    let own = StubTransport([.json(created)])
    _ = try await client(own).datasets.create(
      name: "n", images: [.stored("i")], token: "t", idempotencyKey: "mine")
    XCTAssertEqual(own.requests[0].headers["Idempotency-Key"], "mine")
  }

  func testAConflictIsFinalUnlessTheServerIsAtWorkOnTheSameRequest() async {
    let reused = StubTransport([.json("{}", status: 409)])
    _ = await failure { () async throws(KaisatsuError) in
      try await client(reused).images.upload(Picture(Data()), token: "t")
    }
    XCTAssertEqual(reused.requests.count, 1)
    let building = StubTransport([.json("{}", status: 409, ["Retry-After": "0"])])
    _ = await failure { () async throws(KaisatsuError) in
      try await client(building).recognition.classify(Picture(Data()))
    }
    XCTAssertEqual(building.requests.count, 1)
    XCTAssertNil(building.requests[0].headers["Idempotency-Key"])
  }

  func test503WithoutATimeIsRepeatedOnlyWhereThatIsSafe() async {
    let transport = StubTransport([.json("", status: 503)])
    _ = await failure { () async throws(KaisatsuError) in
      try await client(transport).recognition.classify(Picture(Data()))
    }
    XCTAssertEqual(transport.requests.count, 1)
    _ = await failure { () async throws(KaisatsuError) in try await client(transport).health() }
    XCTAssertEqual(transport.requests.count, 4)
  }

  func testAttemptsCanBeSwitchedOff() async {
    let transport = StubTransport([.fails(.notSent)])
    _ = await failure { () async throws(KaisatsuError) in try await client(transport) { $0.attempts = 1 }.health() }
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testCancellingEndsTheWaiting() async {
    let transport = StubTransport([.json(refusal, status: 429, ["Retry-After": "60"])])
    let task = Task { await failure { () async throws(KaisatsuError) in try await client(transport).health() } }
    while transport.requests.isEmpty { await Task.yield() }
    task.cancel()
    let error = await task.value
    XCTAssertEqual(error, .cancelled)
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testRetryAfterIsANumberOrADate() {
    let now = Date(timeIntervalSince1970: 1_445_412_470)
    XCTAssertEqual(Retry.seconds("7", now: now), 7)
    XCTAssertEqual(Retry.seconds("Wed, 21 Oct 2015 07:28:00 GMT", now: now), 10)
    XCTAssertEqual(Retry.seconds("Wed, 21 Oct 2015 07:27:00 GMT", now: now), 0)
    XCTAssertNil(Retry.seconds("soon", now: now))
    XCTAssertNil(Retry.seconds(nil, now: now))
  }

  func testTheWaitingGrowsWithJitterUpToItsLimit() {
    let retry = Retry(Options())
    let failure = TransportFailure(kind: .notSent, message: "")
    XCTAssertTrue((0.125...0.25).contains(retry.wait(after: 1, failure, idempotent: false) ?? 0))
    XCTAssertTrue((0.25...0.5).contains(retry.wait(after: 2, failure, idempotent: false) ?? 0))
    XCTAssertNil(retry.wait(after: 3, failure, idempotent: true))
    var many = Options()
    many.attempts = 100
    XCTAssertTrue((4.0...8).contains(Retry(many).wait(after: 99, failure, idempotent: false) ?? 0))
  }
}
