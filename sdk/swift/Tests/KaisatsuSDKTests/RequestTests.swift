import Foundation
import XCTest

@testable import KaisatsuSDK

final class RequestTests: XCTestCase {
  private let answer = StubTransport.Outcome.json(#"{"recognitionId":"r","jobId":"r","candidates":[]}"#)

  func testTheKeyIsInTheHeaderUnlessTheQueryIsAskedFor() async throws {
    let transport = StubTransport([.json(#"{"tasks":[]}"#)])
    _ = try await client(transport).recognition.models()
    _ = try await client(transport) { $0.keyPlacement = .query }.recognition.models()
    let (header, query) = (transport.requests[0], transport.requests[1])
    XCTAssertEqual(header.headers["X-API-Key"], "ksk_secret")
    XCTAssertNil(header.url.query)
    XCTAssertEqual(header.headers["User-Agent"], "kaisatsu-sdk-swift/\(sdkVersion)")
    XCTAssertNil(query.headers["X-API-Key"])
    XCTAssertEqual(query.url.query, "APIKEY=ksk_secret")
  }

  func testLogsHaveNoSecrets() async throws {
    let entries = Entries()
    let transport = StubTransport([.fails(.cut), .json(#"{"images":[]}"#, ["X-Request-Id": "r-3"])])
    let client = client(transport) {
      $0.keyPlacement = .query
      $0.log = { entries.add($0) }
    }
    _ = try await client.images.list(token: "kut_secret")
    let logged = entries.all
    XCTAssertEqual(logged.map(\.attempt), [1, 2])
    XCTAssertEqual(logged.map(\.path), Array(repeating: "/imageRecognition/v1/userCategory/listImages", count: 2))
    XCTAssertEqual(logged[1].status, 200)
    XCTAssertEqual(logged[1].requestId, "r-3")
    XCTAssertFalse("\(logged)".contains("secret"))
  }

  func testAFormHoldsThePictureAndItsFields() async throws {
    let transport = StubTransport([answer])
    _ = try await client(transport).recognition.classify(
      Picture(Data([0x89, 0x50, 0xFF]), name: "a\"b.png"), modelName: "food", numOfCandidates: 3)
    let request = transport.requests[0]
    let type = try XCTUnwrap(request.headers["Content-Type"])
    let boundary = try XCTUnwrap(type.components(separatedBy: "boundary=").last)
    var expected = Data("--\(boundary)\r\n".utf8)
    expected.append(Data("Content-Disposition: form-data; name=\"image\"; filename=\"a%22b.png\"\r\n".utf8))
    expected.append(Data("Content-Type: application/octet-stream\r\n\r\n".utf8))
    expected.append(contentsOf: [0x89, 0x50, 0xFF])
    for (name, value) in [("modelName", "food"), ("numOfCandidates", "3")] {
      let part = "\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)"
      expected.append(Data(part.utf8))
    }
    expected.append(Data("\r\n--\(boundary)--\r\n".utf8))
    XCTAssertEqual(request.body, expected)
  }

  func testFeedbackCanSayWhatItReallyIs() async throws {
    let transport = StubTransport([.json("", status: 204)])
    let recognition = client(transport).recognition
    try await recognition.feedback(recognitionId: "r", isValid: true, tag: "latte")
    try await recognition.feedbackToCandidate(
      recognitionId: "r", itemId: "i", isValid: false, comment: "no", tag: "latte")
    try await recognition.feedback(recognitionId: "r", isValid: true)
    let bodies = try transport.requests.map { request in
      try JSONDecoder().decode([String: String].self, from: XCTUnwrap(request.body))
    }
    XCTAssertEqual(bodies, [["tag": "latte"], ["comment": "no", "tag": "latte"], [:]])
    XCTAssertEqual(transport.requests[0].url.query, "recognitionId=r&isValid=true")
  }

  func testThePlaceOfAPictureIsInDegrees() async throws {
    let place =
      #"{"lati":"35.39.31.0","longi":"139.44.43.0","lati_d":"35.65861","longi_d":"139.74543","gcs":"wgs84"}"#
    let sight = #"{"tag":"t","tagId":"t","score":0.9,"itemId":"i","GeoPoint":\#(place),"sites":[{"title":"T"}]}"#
    let other = #"{"tag":"tower","score":0.1,"itemId":"j"}"#
    let transport = StubTransport([.json(#"{"recognitionId":"r","jobId":"r","candidates":[\#(sight),\#(other)]}"#)])
    let found = try await client(transport).recognition.classify(
      Picture(Data([1])), place: GeoPoint(latitude: 35.6586, longitude: 139.7454))
    XCTAssertEqual(transport.requests[0].url.query, "lati_d=35.6586&longi_d=139.7454&gcs=wgs84")
    XCTAssertEqual(found.candidates[0].geoPoint, GeoPoint(latitude: 35.65861, longitude: 139.74543))
    XCTAssertEqual(found.candidates[0].sites?.first?.title, "T")
    XCTAssertNil(found.candidates[1].geoPoint)
  }

  func testADatasetOfTheStorageAreaNamesNoImages() async throws {
    let transport = StubTransport([.json(#"{"dataSetId":"d","state":"queued"}"#, status: 202)])
    _ = try await client(transport).datasets.createFromStorage(name: "cups", token: "t")
    let body = try JSONDecoder().decode([String: String].self, from: XCTUnwrap(transport.requests[0].body))
    XCTAssertEqual(body, ["name": "cups", "from": "storage"])
  }

  func testAFileIsReadWhenItIsSent() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).gif")
    let picture = Picture(file: file)
    let transport = StubTransport([.json(#"{"recognitionId":"r","candidates":[]}"#)])
    let missing = await failure { () async throws(KaisatsuError) in
      try await client(transport).recognition.recognize(picture)
    }
    guard case .invalidInput? = missing else { return XCTFail("\(String(describing: missing))") }
    XCTAssertEqual(transport.requests.count, 0)
    try Data("GIF89a".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try await client(transport).recognition.recognize(picture)
    XCTAssertEqual(transport.requests[0].body, Data("GIF89a".utf8))
  }

  func testQueriesAreEncodedAsUTF8() {
    var query = Query()
    query.add("name", "新宿 & +")
    query.add("absent", nil as String?)
    XCTAssertEqual(query.encoded, "name=%E6%96%B0%E5%AE%BF%20%26%20%2B")
  }

  func testAnAddressThatIsNoneIsSaid() async {
    var options = Options()
    options.transport = StubTransport([answer])
    let client = Kaisatsu(restrictedKey: "k", address: URL(string: "nowhere")!, options: options)
    let error = await failure { () async throws(KaisatsuError) in try await client.health() }
    guard case .invalidInput? = error else { return XCTFail("\(String(describing: error))") }
  }
}

/// Log entries from any thread.
private final class Entries: @unchecked Sendable {
  private let lock = NSLock()
  private var entries: [LogEntry] = []

  var all: [LogEntry] { lock.withLock { entries } }

  func add(_ entry: LogEntry) {
    lock.withLock { entries.append(entry) }
  }
}
