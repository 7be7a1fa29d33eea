import Foundation

// The wire of the route map has every value as a string, and names that begin now with a capital and now without.

/// The names of the wire's fields.
enum WireName: String, CodingKey {
  case ResultSet, RailMap, Point, Course, Route, Line, Stop, Station, Prefecture, GeoPoint, MarkCoordinates
  case code, Name, Yomi, type = "Type", Color, Distance
  case gcs, lati_d, longi_d
  case id, x, y, width, height, shape, r, chamfering, isText
  case max, offset, timeOnBoard, timeWalk, timeOther, transferCount, distance, stopStationCount
}

typealias WireContainer = KeyedDecodingContainer<WireName>

extension WireContainer {
  /// A number that is written as a string; absent when the field is absent or empty.
  func number<Number: LosslessStringConvertible>(ifPresent name: WireName) throws -> Number? {
    guard let text = try decodeIfPresent(String.self, forKey: name), !text.isEmpty else { return nil }
    guard let number = Number(text) else {
      throw DecodingError.dataCorruptedError(forKey: name, in: self, debugDescription: "not a \(Number.self)")
    }
    return number
  }

  func number<Number: LosslessStringConvertible>(_ name: WireName) throws -> Number {
    guard let number: Number = try number(ifPresent: name) else {
      throw DecodingError.keyNotFound(
        name, DecodingError.Context(codingPath: codingPath, debugDescription: "a number is missing"))
    }
    return number
  }

  func text(_ name: WireName) throws -> String {
    try decode(String.self, forKey: name)
  }

  func list<Element: Decodable>(_ name: WireName) throws -> [Element] {
    try decode([Element].self, forKey: name)
  }

  func inside(_ name: WireName) throws -> WireContainer {
    try nestedContainer(keyedBy: WireName.self, forKey: name)
  }
}

extension GeoPoint {
  init(wire earth: WireContainer) throws {
    self.init(
      latitude: try earth.number(.lati_d), longitude: try earth.number(.longi_d),
      gcs: try earth.decode(GeodeticSystem.self, forKey: .gcs))
  }
}

extension StationPoint: Decodable {
  /// Reads the wire's form.
  public init(from decoder: any Decoder) throws {
    let point = try decoder.container(keyedBy: WireName.self)
    let station = try point.inside(.Station)
    code = try station.number(.code)
    name = try station.text(.Name)
    yomi = try station.text(.Yomi)
    type = try station.text(.type)
    let place = try point.inside(.Prefecture)
    let placeName = try place.text(.Name)
    prefecture = try place.number(ifPresent: .code).map { KaisatsuSDK.Prefecture(code: $0, name: placeName) }
    geoPoint = try GeoPoint(wire: point.inside(.GeoPoint))
    marks = try point.decodeIfPresent([Mark].self, forKey: .MarkCoordinates)
    maps = try point.decodeIfPresent([MapReference].self, forKey: .RailMap)?.map(\.id)
    distance = try point.number(ifPresent: .Distance)
  }

  private struct MapReference: Decodable {
    let id: String
  }
}

extension Mark: Decodable {
  /// Reads the wire's form.
  public init(from decoder: any Decoder) throws {
    let mark = try decoder.container(keyedBy: WireName.self)
    shape = try mark.text(.shape)
    x = try mark.number(.x)
    y = try mark.number(.y)
    width = try mark.number(ifPresent: .width)
    height = try mark.number(ifPresent: .height)
    r = try mark.number(ifPresent: .r)
    chamfering = try mark.number(.chamfering)
    isText = try mark.number(.isText)
  }
}

extension ListedMap: Decodable {
  /// Reads the wire's form.
  public init(from decoder: any Decoder) throws {
    let map = try decoder.container(keyedBy: WireName.self)
    id = try map.text(.id)
    name = try map.text(.Name)
    width = try map.number(.width)
    height = try map.number(.height)
    points = try map.list(.Point)
  }
}

extension MapDetail: Decodable {
  /// Reads the wire's form.
  public init(from decoder: any Decoder) throws {
    let map = try decoder.container(keyedBy: WireName.self).inside(.ResultSet).inside(.RailMap)
    id = try map.text(.id)
    x = try map.number(.x)
    y = try map.number(.y)
    width = try map.number(.width)
    height = try map.number(.height)
    points = try map.list(.Point)
  }
}

extension Stations: Decodable {
  /// Reads the wire's form.
  public init(from decoder: any Decoder) throws {
    let set = try decoder.container(keyedBy: WireName.self).inside(.ResultSet)
    max = try set.number(.max)
    offset = try set.number(.offset)
    points = try set.list(.Point)
  }
}

extension Course: Decodable {
  /// Reads the wire's form.
  public init(from decoder: any Decoder) throws {
    let route = try decoder.container(keyedBy: WireName.self).inside(.Route)
    timeOnBoard = try route.number(.timeOnBoard)
    timeWalk = try route.number(.timeWalk)
    timeOther = try route.number(.timeOther)
    transferCount = try route.number(.transferCount)
    distance = try route.number(.distance)
    points = try route.list(.Point)
    lines = try route.list(.Line)
  }
}

extension CourseLine: Decodable {
  /// Reads the wire's form.
  public init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: WireName.self)
    name = try line.text(.Name)
    type = try line.text(.type)
    color = try line.text(.Color)
    timeOnBoard = try line.number(.timeOnBoard)
    stopStationCount = try line.number(.stopStationCount)
    distance = try line.number(.distance)
    stops = try line.list(.Stop)
  }
}
