import Foundation

/// The language of the names of stations.
public enum MapLanguage: String, Sendable, Hashable {
  /// Japanese.
  case japanese = "ja"
  /// English, or in Latin letters.
  case english = "en"
  /// Both.
  case both = "ja-en"
}

/// A geodetic system. Phones and maps of the world use ``wgs84``, which is what the SDK asks for.
public enum GeodeticSystem: String, Sendable, Hashable, Codable {
  /// The world's.
  case wgs84
  /// The old Japanese one: the same numbers are some 400 metres elsewhere.
  case tokyo
}

/// A place on the earth.
public struct GeoPoint: Sendable, Hashable, Codable {
  /// Latitude in decimal degrees.
  public let latitude: Double
  /// Longitude in decimal degrees.
  public let longitude: Double
  /// The geodetic system of the two.
  public let gcs: GeodeticSystem

  /// A place.
  public init(latitude: Double, longitude: Double, gcs: GeodeticSystem = .wgs84) {
    self.latitude = latitude
    self.longitude = longitude
    self.gcs = gcs
  }
}

/// A prefecture of Japan.
public struct Prefecture: Sendable, Hashable, Codable {
  /// The JIS X 0401 code: 13 is Tokyo.
  public let code: Int
  /// The name.
  public let name: String
}

/// A station: where it is, and where it is drawn.
public struct StationPoint: Sendable, Hashable, Encodable {
  /// The code, which stays with the station through renamings: store it rather than the name.
  public let code: Int
  /// The name.
  public let name: String
  /// The reading of the name in kana.
  public let yomi: String
  /// The transport kind: `train`, `plane`, `ship`, `bus`, `walk` or `strange`.
  public let type: String
  /// The prefecture; absent abroad.
  public let prefecture: Prefecture?
  /// Where it is on the earth.
  public let geoPoint: GeoPoint
  /// Its shapes on the map, where the operation answers with them: normally the rect of its name, then a circle.
  public let marks: [Mark]?
  /// The ids of the maps that it is on, where the operation answers with them.
  public let maps: [String]?
  /// How far it is, in metres; only in `stationNear`.
  public let distance: Int?
}

/// A shape on a map.
public struct Mark: Sendable, Hashable, Encodable {
  /// `rect` or `circle`.
  public let shape: String
  /// The left edge of a rect, the centre of a circle.
  public let x: Int
  /// The top edge of a rect, the centre of a circle.
  public let y: Int
  /// The width of a rect.
  public let width: Int?
  /// The height of a rect.
  public let height: Int?
  /// The radius of a circle.
  public let r: Int?
  /// Whether the corners are cut.
  public let chamfering: Bool
  /// Whether the shape is the name on the map.
  public let isText: Bool
}

/// A map of a list.
public struct ListedMap: Sendable, Hashable, Encodable {
  /// What other operations take as `id`.
  public let id: String
  /// What people call it.
  public let name: String
  /// The width of the whole map.
  public let width: Int
  /// The height of the whole map.
  public let height: Int
  /// The stations that were asked for; in a list without a station, the one at the map's centre.
  public let points: [StationPoint]
}

/// A window of a map and the stations in it.
public struct MapDetail: Sendable, Hashable, Encodable {
  /// The map.
  public let id: String
  /// The left edge of the window that was searched.
  public let x: Int
  /// Its top edge.
  public let y: Int
  /// Its width.
  public let width: Int
  /// Its height.
  public let height: Int
  /// The stations by code; empty when there is none.
  public let points: [StationPoint]
}

/// Some stations of those that were found.
public struct Stations: Sendable, Hashable, Encodable {
  /// How many were found.
  public let max: Int
  /// The number of the first one here, from 1.
  public let offset: Int
  /// The stations.
  public let points: [StationPoint]
}

/// A way from one station to another.
public struct Course: Sendable, Hashable, Encodable {
  /// Minutes in trains.
  public let timeOnBoard: Int
  /// Minutes on foot between stations.
  public let timeWalk: Int
  /// Minutes of changes.
  public let timeOther: Int
  /// How often one changes trains.
  public let transferCount: Int
  /// The length in units of 100 metres.
  public let distance: Int
  /// Where it begins, where one changes, and where it ends: one more than ``lines``.
  public let points: [StationPoint]
  /// What one takes from each point to the next.
  public let lines: [CourseLine]
}

/// A ride on a line, or a walk.
public struct CourseLine: Sendable, Hashable, Encodable {
  /// The name of the line; 徒歩 for a walk.
  public let name: String
  /// The transport kind; `walk` for a walk.
  public let type: String
  /// The colour as `#rrggbb`; empty for a walk.
  public let color: String
  /// The minutes of the ride or the walk.
  public let timeOnBoard: Int
  /// How many stops there are between.
  public let stopStationCount: Int
  /// The length in units of 100 metres.
  public let distance: Int
  /// The stops between.
  public let stops: [StationPoint]
}

/// How a map is drawn.
public enum MapFormat: String, Sendable, Hashable {
  /// Pixels.
  case png
  /// Shapes.
  case svg
  /// For printing.
  case pdf
}

/// The colours of a drawn map.
public enum MapStyle: String, Sendable, Hashable {
  /// Dark on light.
  case light
  /// Light on dark.
  case dark
}

/// What makes a way better than another.
public enum CourseOrder: String, Sendable, Hashable {
  /// Fewer minutes.
  case time
  /// Fewer changes.
  case transfer
}
