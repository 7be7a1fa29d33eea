import Foundation
import KaisatsuSDK

/// The arguments of a step.
struct Arguments: Sendable {
  let values: [String: JSONValue]
  let pictures: URL

  func text(_ name: String) -> String? { values[name]?.text }

  func int(_ name: String) -> Int? { values[name]?.double.map { Int($0) } }

  func double(_ name: String) -> Double? { values[name]?.double }

  func texts(_ name: String) -> [String] {
    guard case .array(let values)? = values[name] else { return [] }
    return values.compactMap(\.text)
  }

  func ints(_ name: String) -> [Int] {
    guard case .array(let values)? = values[name] else { return [] }
    return values.compactMap { $0.double.map { Int($0) } }
  }

  func optionalFlag(_ name: String) -> Bool? {
    guard case .bool(let value)? = values[name] else { return nil }
    return value
  }

  func flag(_ name: String) throws -> Bool {
    guard let value = optionalFlag(name) else { throw Complaint("\(name) is missing") }
    return value
  }

  func needed(_ name: String) throws -> String {
    guard let value = text(name) else { throw Complaint("\(name) is missing") }
    return value
  }

  func number(_ name: String) throws -> Double {
    guard let value = double(name) else { throw Complaint("\(name) is missing") }
    return value
  }

  func choice<Choice: RawRepresentable>(_ name: String) throws -> Choice? where Choice.RawValue == String {
    guard let value = text(name) else { return nil }
    guard let choice = Choice(rawValue: value) else { throw Complaint("\(name) has no value \(value)") }
    return choice
  }

  /// The geodetic system, or the SDK's default.
  func gcs() throws -> GeodeticSystem { try choice("gcs") ?? .wgs84 }

  /// Where a picture was taken.
  func place() throws -> GeoPoint? {
    guard let latitude = double("latitude"), let longitude = double("longitude") else { return nil }
    return GeoPoint(latitude: latitude, longitude: longitude, gcs: try gcs())
  }

  func picture() throws -> Picture {
    guard let value = values["image"] else { throw Complaint("image is missing") }
    return try picture(value)
  }

  func pictureList() throws -> [Picture] {
    guard case .array(let values)? = values["images"] else { return [] }
    return try values.map(picture)
  }

  private func picture(_ value: JSONValue) throws -> Picture {
    guard let name = value["picture"]?.text else { throw Complaint("that is not a picture") }
    return Picture(file: pictures.appendingPathComponent(name))
  }

  /// Images for a dataset.
  func tagged(_ name: String) throws -> [TaggedImage] {
    guard case .array(let values)? = values[name] else { return [] }
    return try values.map { image in
      if let imageId = image["imageId"]?.text { return .stored(imageId, tag: image["tag"]?.text) }
      guard let url = image["url"]?.text, let tag = image["tag"]?.text else { throw Complaint("no image") }
      return .at(url, tag: tag)
    }
  }

  /// What changes in a dataset.
  func changes() throws -> DataSetChanges {
    var changes = DataSetChanges(
      name: text("name"), add: try tagged("add"), remove: texts("remove"), confirm: texts("confirm"))
    if case .array(let pairs)? = values["retag"] {
      for pair in pairs { changes.retag[pair["imageId"]?.text ?? ""] = pair["tag"]?.text }
    }
    if case .array(let pairs)? = values["renameTags"] {
      changes.renameTags = pairs.map { TagRename(from: $0["from"]?.text ?? "", to: $0["to"]?.text ?? "") }
    }
    return changes
  }

  /// An item of the catalogue.
  func item() throws -> NewItem {
    var item = NewItem(
      id: try needed("id"), category: try needed("category"), name: try needed("name"), barcodes: texts("barcodes"))
    item.imageUrl = text("imageUrl")
    item.url = text("url")
    if case .array(let sites)? = values["sites"] {
      item.sites = sites.map {
        Site(url: $0["url"]?.text ?? "", title: $0["title"]?.text, imageUrl: $0["imageUrl"]?.text)
      }
    }
    if case .object(let details)? = values["details"] { item.details = details.compactMapValues(\.text) }
    return item
  }
}
