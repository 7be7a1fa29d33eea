import Foundation
import XCTest

@testable import KaisatsuSDK

final class WireTests: XCTestCase {
  private let station = """
    {"Station":{"code":"1130208","Name":"新宿","Yomi":"しんじゅく","Type":"train","new":true},
     "Prefecture":{"code":"13","Name":"東京都"},"RailMap":[{"id":"tokyo"}],"Distance":"52",
     "GeoPoint":{"gcs":"wgs84","lati":"35.41.23.50","lati_d":"35.689861","longi":"1","longi_d":"139.700464"}}
    """

  private func stations(_ point: String) -> String {
    #"{"ResultSet":{"apiVersion":"1","engineVersion":"1","max":"1","offset":"1","Point":[\#(point)]}}"#
  }

  func testStringsOfTheWireAreNumbers() async throws {
    let transport = StubTransport([.json(stations(station))])
    let found = try await client(transport).maps.stationNear(latitude: 35, longitude: 139.70)
    let point = try XCTUnwrap(found.points.first)
    XCTAssertEqual(found.max, 1)
    XCTAssertEqual(point.code, 1_130_208)
    XCTAssertEqual(point.prefecture, Prefecture(code: 13, name: "東京都"))
    XCTAssertEqual(point.geoPoint.latitude, 35.689861)
    XCTAssertEqual(point.maps, ["tokyo"])
    XCTAssertEqual(point.distance, 52)
    XCTAssertNil(point.marks)
    XCTAssertEqual(transport.requests[0].url.query, "lati_d=35&longi_d=139.7&gcs=wgs84")
  }

  func testAPlaceAbroadHasNoPrefecture() async throws {
    let abroad = station.replacingOccurrences(of: #""code":"13","Name":"東京都""#, with: #""code":"","Name":"""#)
    let found = try await client(StubTransport([.json(stations(abroad))])).maps.stations()
    XCTAssertNil(found.points[0].prefecture)
  }

  func testANumberThatIsNoneIsAMalformedAnswer() async {
    let wrong = station.replacingOccurrences(of: "1130208", with: "many")
    let error = await failure { () async throws(KaisatsuError) in
      try await client(StubTransport([.json(stations(wrong), ["X-Request-Id": "r-2"])])).maps.stations()
    }
    guard case .malformedAnswer(let message, 200, "r-2")? = error else {
      return XCTFail("\(String(describing: error))")
    }
    XCTAssertTrue(message.contains("code"), message)
    XCTAssertFalse(message.contains("many"), message)
  }

  func testInvalidUTF8IsAMalformedAnswer() async {
    var body = Data(#"{"status":"ok"#.utf8)
    body.append(0xFF)
    body.append(Data(#"","version":"1"}"#.utf8))
    let transport = StubTransport([.success(TransportAnswer(status: 200, body: body))])
    let error = await failure { () async throws(KaisatsuError) in try await client(transport).health() }
    XCTAssertEqual(error, .malformedAnswer(message: "the answer is not UTF-8", status: 200, requestId: nil))
    XCTAssertEqual(transport.requests.count, 1)
  }

  func testErrorsByStatusAndInBothForms() async {
    let routeMap = #"{"ResultSet":{"Error":{"code":"W400","Message":"width must be from 1 to 500"}}}"#
    let expected: [(Int, String, (KaisatsuError) -> Bool)] = [
      (400, routeMap, { if case .badRequest = $0 { $0.code == "W400" && $0.message.contains("500") } else { false } }),
      (401, "", { if case .unauthorised = $0 { true } else { false } }),
      (403, "", { if case .forbidden = $0 { true } else { false } }),
      (404, "<html>", { if case .notFound = $0 { $0.code == nil } else { false } }),
      (405, "", { if case .badRequest = $0 { true } else { false } }),
      (409, "", { if case .conflict = $0 { true } else { false } }),
      (413, "", { if case .tooLarge = $0 { true } else { false } }),
      (500, "", { if case .serverError = $0 { true } else { false } }),
      (302, "", { if case .malformedAnswer = $0 { true } else { false } }),
    ]
    for (status, body, holds) in expected {
      let transport = StubTransport([.json(body, status: status)])
      let error = await failure { () async throws(KaisatsuError) in try await client(transport).maps.railmapList() }
      XCTAssertTrue(error.map(holds) ?? false, "\(status): \(String(describing: error))")
      XCTAssertEqual(error?.status, status)
    }
  }

  func testTimesWithAndWithoutAFraction() {
    XCTAssertEqual(Timestamp.date("2026-11-15T09:30:00Z"), Date(timeIntervalSince1970: 1_794_735_000))
    XCTAssertEqual(Timestamp.date("1970-01-01T00:00:01.5Z"), Date(timeIntervalSince1970: 1.5))
    XCTAssertEqual(Timestamp.date("2024-02-29T00:00:00Z"), Date(timeIntervalSince1970: 1_709_164_800))
    for wrong in ["", "2026-11-15", "2026-13-15T09:30:00Z", "yesterday, at about ten"] {
      XCTAssertNil(Timestamp.date(wrong), wrong)
    }
  }
}
