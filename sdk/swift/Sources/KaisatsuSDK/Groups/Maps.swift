import Foundation

/// Maps, stations and ways between them. Coordinates are of the system WGS 84 unless `gcs` says otherwise.
public struct Maps: Sendable {
  let core: Core

  /// All maps, or those that hold a station. At most one of the three selections may be given.
  ///
  /// - Parameters:
  ///   - id: One map.
  ///   - stationCode: The maps that hold this station.
  ///   - stationName: The maps that hold a station of this name.
  ///   - gcs: The geodetic system of the answer.
  ///   - language: The language of the names.
  public func railmapList(
    id: String? = nil, stationCode: Int? = nil, stationName: String? = nil, gcs: GeodeticSystem = .wgs84,
    language: MapLanguage? = nil
  ) async throws(KaisatsuError) -> [ListedMap] {
    struct Answer: Decodable {
      struct ResultSet: Decodable { let RailMap: [ListedMap] }
      let ResultSet: ResultSet
    }
    var query = Query()
    query.add("id", id)
    query.add("stationCode", stationCode)
    query.add("stationName", stationName)
    query.add("gcs", gcs.rawValue)
    query.add("language", language?.rawValue)
    let answer: Answer = try await core.decode(.get(core.route("railmapList"), query))
    return answer.ResultSet.RailMap
  }

  /// The stations of a map: all of them, those in a window, or one.
  ///
  /// - Parameters:
  ///   - id: The map.
  ///   - stationName: One station by name; excludes the code and the window.
  ///   - stationCode: One station by code; excludes the name and the window.
  ///   - x: The left edge of the window.
  ///   - y: The top edge of the window.
  ///   - width: The width of the window, 1 to 500; only together with the height.
  ///   - height: The height of the window, 1 to 500; only together with the width.
  ///   - gcs: The geodetic system of the answer.
  ///   - language: The language of the names.
  public func railmapDetail(
    id: String, stationName: String? = nil, stationCode: Int? = nil, x: Int? = nil, y: Int? = nil,
    width: Int? = nil, height: Int? = nil, gcs: GeodeticSystem = .wgs84, language: MapLanguage? = nil
  ) async throws(KaisatsuError) -> MapDetail {
    var query = Query()
    query.add("id", id)
    query.add("stationName", stationName)
    query.add("stationCode", stationCode)
    query.add("x", x)
    query.add("y", y)
    query.add("width", width)
    query.add("height", height)
    query.add("gcs", gcs.rawValue)
    query.add("language", language?.rawValue)
    return try await core.decode(.get(core.route("railmapDetail"), query))
  }

  /// A window of a map as a picture.
  ///
  /// - Parameters:
  ///   - id: The map.
  ///   - x: The left edge of the window.
  ///   - y: The top edge of the window.
  ///   - width: The width of the window, 1 to 500; only together with the height.
  ///   - height: The height of the window, 1 to 500; only together with the width.
  ///   - format: PNG when it is left out.
  ///   - scale: Pixels for a unit of the map.
  ///   - style: Light when it is left out.
  ///   - language: The language of the names.
  ///   - course: The codes of the stations of a way; everything else is dimmed.
  ///   - text: Whether an SVG has letters as text, which can be searched and copied, instead of outlines.
  public func railmapData(
    id: String, x: Int? = nil, y: Int? = nil, width: Int? = nil, height: Int? = nil, format: MapFormat? = nil,
    scale: Double? = nil, style: MapStyle? = nil, language: MapLanguage? = nil, course: [Int] = [], text: Bool? = nil
  ) async throws(KaisatsuError) -> Payload {
    var query = Query()
    query.add("id", id)
    query.add("x", x)
    query.add("y", y)
    query.add("width", width)
    query.add("height", height)
    query.add("format", format?.rawValue)
    query.add("scale", number: scale)
    query.add("style", style?.rawValue)
    query.add("language", language?.rawValue)
    query.add("course", course.isEmpty ? nil : course.map(String.init).joined(separator: ","))
    query.add("text", text.map { $0 ? "true" : "false" })
    return try await core.bytes(.get(core.route("railmapData"), query))
  }

  /// Stations by code, name, prefecture, transport kind or map.
  ///
  /// - Parameters:
  ///   - code: The station of this code.
  ///   - name: The beginning of a name, a reading, a station number, a line or a former name; best first.
  ///   - prefectureCode: Those of a prefecture, 1 to 47.
  ///   - type: Those of a transport kind, such as `train`.
  ///   - id: Those of a map.
  ///   - limit: How many at most, 1 to 100.
  ///   - offset: The number of the first one, from 1.
  ///   - gcs: The geodetic system of the answer.
  ///   - language: The language of the names.
  public func stations(
    code: Int? = nil, name: String? = nil, prefectureCode: Int? = nil, type: String? = nil, id: String? = nil,
    limit: Int? = nil, offset: Int? = nil, gcs: GeodeticSystem = .wgs84, language: MapLanguage? = nil
  ) async throws(KaisatsuError) -> Stations {
    var query = Query()
    query.add("code", code)
    query.add("name", name)
    query.add("prefectureCode", prefectureCode)
    query.add("type", type)
    query.add("id", id)
    query.add("limit", limit)
    query.add("offset", offset)
    query.add("gcs", gcs.rawValue)
    query.add("language", language?.rawValue)
    return try await core.decode(.get(core.route("station"), query))
  }

  /// All stations of a search, page by page; the parameters are those of `stations`.
  public func eachStation(
    name: String? = nil, prefectureCode: Int? = nil, type: String? = nil, id: String? = nil,
    gcs: GeodeticSystem = .wgs84, language: MapLanguage? = nil, pageSize: Int = 100
  ) -> Pages<StationPoint> {
    Pages { cursor throws(KaisatsuError) in
      let found = try await stations(
        name: name, prefectureCode: prefectureCode, type: type, id: id, limit: pageSize,
        offset: cursor.flatMap { Int($0) }, gcs: gcs, language: language)
      return Page(elements: found.points, offset: found.offset, of: found.max)
    }
  }

  /// The stations around a place, nearest first.
  ///
  /// - Parameters:
  ///   - latitude: The latitude of the place in `gcs`.
  ///   - longitude: The longitude of the place in `gcs`.
  ///   - radius: How far they may be, in metres, 1 to 50,000; 1,000 when it is left out.
  ///   - limit: How many at most, 1 to 100.
  ///   - gcs: The geodetic system of the place and of the answer.
  ///   - language: The language of the names.
  public func stationNear(
    latitude: Double, longitude: Double, radius: Int? = nil, limit: Int? = nil, gcs: GeodeticSystem = .wgs84,
    language: MapLanguage? = nil
  ) async throws(KaisatsuError) -> Stations {
    var query = Query()
    query.add("lati_d", number: latitude)
    query.add("longi_d", number: longitude)
    query.add("radius", radius)
    query.add("limit", limit)
    query.add("gcs", gcs.rawValue)
    query.add("language", language?.rawValue)
    return try await core.decode(.get(core.route("stationNear"), query))
  }

  /// Ways from one station to another, best first. There is no timetable: times are those of a typical weekday ride.
  ///
  /// - Parameters:
  ///   - from: Where it begins: a code or a name.
  ///   - to: Where it ends.
  ///   - via: Up to three stations to pass through.
  ///   - id: The map; without it every map is tried.
  ///   - sort: What makes a way better.
  ///   - answerCount: How many ways at most, 1 to 5.
  ///   - gcs: The geodetic system of the answer.
  ///   - language: The language of the names of stations and lines.
  public func searchCourse(
    from: String, to: String, via: [String] = [], id: String? = nil, sort: CourseOrder? = nil,
    answerCount: Int? = nil, gcs: GeodeticSystem = .wgs84, language: MapLanguage? = nil
  ) async throws(KaisatsuError) -> [Course] {
    struct Answer: Decodable {
      struct ResultSet: Decodable { let Course: [Course] }
      let ResultSet: ResultSet
    }
    var query = Query()
    query.add("from", from)
    query.add("to", to)
    query.add("via", via.isEmpty ? nil : via.joined(separator: ","))
    query.add("id", id)
    query.add("sort", sort?.rawValue)
    query.add("answerCount", answerCount)
    query.add("gcs", gcs.rawValue)
    query.add("language", language?.rawValue)
    let answer: Answer = try await core.decode(.get(core.route("searchCourse"), query))
    return answer.ResultSet.Course
  }
}
