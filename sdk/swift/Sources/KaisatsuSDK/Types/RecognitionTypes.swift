import Foundation

/// How hard `detect` looks.
public enum Accuracy: String, Sendable, Hashable {
  /// The whole picture at once.
  case normal
  /// Overlapping tiles too: small things are found, and it takes several times as long.
  case high
}

/// What kind of items `recognize` searches.
public enum ItemKind: String, Sendable, Hashable {
  /// All of them.
  case productAll = "product-all"
  /// Books.
  case book
  /// Music.
  case cd
  /// Films.
  case dvd
  /// Games.
  case game
  /// Software.
  case software
  /// Packages of food.
  case food
}

/// The categories of a picture.
public struct Classification: Sendable, Hashable, Codable {
  /// What feedback refers to.
  public let recognitionId: String
  /// The same value.
  public let jobId: String
  /// Best first; empty for none of the categories.
  public let candidates: [TagCandidate]
}

/// A category.
public struct TagCandidate: Sendable, Hashable, Codable {
  /// Its name.
  public let tag: String
  /// What identifies it: two categories can share a name.
  public let tagId: String?
  /// How sure the engine is, 0 to 1.
  public let score: Double
  /// What feedback refers to.
  public let itemId: String
  /// Where it is, if it is a single thing whose place is known, such as a sight.
  public let geoPoint: GeoPoint?
  /// Pages about it, of a model that knows single things.
  public let sites: [Site]?

  /// Reads the wire's form.
  public init(from decoder: any Decoder) throws {
    let candidate = try decoder.container(keyedBy: CodingKeys.self)
    tag = try candidate.decode(String.self, forKey: .tag)
    tagId = try candidate.decodeIfPresent(String.self, forKey: .tagId)
    score = try candidate.decode(Double.self, forKey: .score)
    itemId = try candidate.decode(String.self, forKey: .itemId)
    sites = try candidate.decodeIfPresent([Site].self, forKey: .sites)
    let wire = try decoder.container(keyedBy: WireName.self)
    geoPoint =
      if wire.contains(.GeoPoint), try !wire.decodeNil(forKey: .GeoPoint) {
        try GeoPoint(wire: wire.inside(.GeoPoint))
      } else {
        try candidate.decodeIfPresent(GeoPoint.self, forKey: .geoPoint)  // as this type is encoded
      }
  }
}

/// The things in a picture.
public struct Detection: Sendable, Hashable, Codable {
  /// What feedback refers to.
  public let recognitionId: String
  /// The same value.
  public let jobId: String
  /// The width of the image as sent, in pixels: what the boxes are measured in.
  public let width: Int
  /// The height of the image as sent.
  public let height: Int
  /// Surest first.
  public let candidates: [ThingCandidate]
}

/// A thing and its box, in pixels of the image as sent.
public struct ThingCandidate: Sendable, Hashable, Codable {
  /// The name of its kind.
  public let tag: String
  /// What identifies its kind.
  public let tagId: String?
  /// How sure the engine is, 0 to 1.
  public let score: Double
  /// What feedback refers to.
  public let itemId: String
  /// The left edge.
  public let xMin: Double
  /// The top edge.
  public let yMin: Double
  /// The right edge.
  public let xMax: Double
  /// The bottom edge.
  public let yMax: Double
}

/// Images that are like a picture.
public struct Likenesses: Sendable, Hashable, Codable {
  /// What feedback refers to.
  public let recognitionId: String
  /// The same value.
  public let jobId: String
  /// Most alike first.
  public let candidates: [LikenessCandidate]
}

/// An image of a collection or a dataset.
public struct LikenessCandidate: Sendable, Hashable, Codable {
  /// The operator's own id of it; in a dataset, what `images.get` takes.
  public let imageId: String
  /// Where it is found; empty when nobody has said so.
  public let imageUrl: String
  /// The address of a small picture of it on the server, which takes a key.
  public let thumbnailUrl: String?
  /// What it is tagged with; empty for nothing.
  public let tag: String
  /// How much alike, 0 to 1.
  public let score: Double
  /// What feedback refers to.
  public let itemId: String
}

/// The items in a picture.
public struct RecognizedItems: Sendable, Hashable, Codable {
  /// What feedback refers to.
  public let recognitionId: String
  /// Surest first; empty when nothing was recognised.
  public let candidates: [ItemCandidate]
}

/// An item of the catalogue that is in a picture.
public struct ItemCandidate: Sendable, Hashable, Codable {
  /// How sure the engine is, 0 to 1.
  public let score: Double
  /// What feedback refers to.
  public let itemId: String
  /// What kind of thing it is.
  public let category: String
  /// Where its picture is found; empty when the catalogue says nothing.
  public let imageUrl: String
  /// The address of a small picture of it on the server, which takes a key.
  public let thumbnailUrl: String?
  /// What the catalogue knows of it: `itemName`, its `id` there, and whatever else was imported.
  public let detail: [String: JSONValue]
  /// Pages about it.
  public let sites: [Site]
  /// Where it is, or the barcode that was read.
  public let corners: [Corner]?
  /// What speaks for it.
  public let evidence: Evidence?

  /// The name of the item, which every item of the catalogue has.
  public var itemName: String? { detail["itemName"]?.text }
}

/// A page about an item.
public struct Site: Sendable, Hashable, Codable {
  /// Where it is.
  public let url: String?
  /// What it is called.
  public let title: String?
  /// Where a picture of it is.
  public let imageUrl: String?

  /// A page about an item.
  public init(url: String, title: String? = nil, imageUrl: String? = nil) {
    self.url = url
    self.title = title
    self.imageUrl = imageUrl
  }
}

/// A point, in pixels of the image as sent.
public struct Corner: Sendable, Hashable, Codable {
  /// From the left edge.
  public let x: Double
  /// From the top edge.
  public let y: Double
}

/// What speaks for an item.
public struct Evidence: Sendable, Hashable, Codable {
  /// `barcode` or `looks`.
  public let kind: String
  /// The digits that were read.
  public let barcode: String?
  /// How many local features of the reference picture lie where they should.
  public let inliers: Int?
  /// The printed words that decided for it, where looks left it open.
  public let matchedText: String?
  /// The number of the reference picture that is nearest.
  public let referencePicture: Int?
  /// The left edge.
  public let xMin: Double
  /// The top edge.
  public let yMin: Double
  /// The right edge.
  public let xMax: Double
  /// The bottom edge.
  public let yMax: Double
}

/// The lines of text in a picture.
public struct ReadText: Sendable, Hashable, Codable {
  /// What feedback refers to.
  public let recognitionId: String
  /// The width of the image as sent, in pixels.
  public let width: Int
  /// The height of the image as sent.
  public let height: Int
  /// In reading order.
  public let candidates: [TextLine]
}

/// A line of text.
public struct TextLine: Sendable, Hashable, Codable {
  /// What it says.
  public let text: String
  /// How sure the engine is of its characters, 0 to 1.
  public let score: Double
  /// What feedback refers to.
  public let itemId: String
  /// The corners of the line as it is read, from its upper left one to the right.
  public let corners: [Corner]
  /// Whether it is a column of upright letters, such as Japanese ones.
  public let vertical: Bool
}
