import Foundation

/// The items that `recognize` knows. It needs an operator's key.
public struct Catalogue: Sendable {
  let core: Core

  /// Some items, in the order in which they were first added.
  ///
  /// - Parameters:
  ///   - category: Those of a category.
  ///   - id: The one of this id.
  ///   - barcode: Those with this barcode.
  ///   - cursor: `nextCursor` of the page before.
  ///   - limit: How many at most, 1 to 1000.
  public func list(
    category: String? = nil, id: String? = nil, barcode: String? = nil, cursor: String? = nil, limit: Int? = nil
  ) async throws(KaisatsuError) -> Page<CatalogueItem> {
    struct Answer: Decodable {
      let items: [CatalogueItem]
      let nextCursor: String?
    }
    var query = Query()
    query.add("category", category)
    query.add("id", id)
    query.add("barcode", barcode)
    query.add("cursor", cursor)
    query.add("limit", limit)
    let answer: Answer = try await core.decode(.get(core.image("catalogue/items"), query))
    return Page(elements: answer.items, nextCursor: answer.nextCursor)
  }

  /// All items, page by page.
  public func each(category: String? = nil, barcode: String? = nil, pageSize: Int? = nil) -> Pages<CatalogueItem> {
    Pages { cursor throws(KaisatsuError) in
      try await list(category: category, barcode: barcode, cursor: cursor, limit: pageSize)
    }
  }

  /// Adds an item, or replaces the one of the same id. It needs a picture or a barcode.
  ///
  /// - Parameters:
  ///   - item: What is known of it.
  ///   - images: Its pictures, at most 16.
  ///   - idempotencyKey: Used for no other request: the server does the work of the same request with the same key
  ///     once within a day. A random one when it is left out.
  ///   - progress: Told how much of the pictures is sent.
  public func add(
    _ item: NewItem, images: [Picture] = [], idempotencyKey: String? = nil, progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> CatalogueItem {
    var form = Form()
    form.add("id", item.id)
    form.add("category", item.category)
    form.add("name", item.name)
    for barcode in item.barcodes { form.add("barcode", barcode) }
    form.add("imageUrl", item.imageUrl)
    form.add("url", item.url)
    if !item.sites.isEmpty { form.add("sites", try Self.json(item.sites)) }
    for (name, value) in item.details.sorted(by: { $0.key < $1.key }) { form.add(name, value) }
    for image in images { form.add("image", image) }
    return try await core.decode(.post(core.image("catalogue/items"), form: form, progress).once(idempotencyKey))
  }

  /// Removes items by their id or by a barcode; one of the two must be given.
  public func remove(id: String? = nil, barcode: String? = nil) async throws(KaisatsuError) {
    var query = Query()
    query.add("id", id)
    query.add("barcode", barcode)
    try await core.perform(.delete(core.image("catalogue/items"), query))
  }

  private static func json(_ sites: [Site]) throws(KaisatsuError) -> String {
    do {
      return String(decoding: try JSONEncoder().encode(sites), as: UTF8.self)
    } catch {
      throw .invalidInput(message: "the pages about the item cannot be written as JSON")
    }
  }
}

/// An item to be added to the catalogue.
public struct NewItem: Sendable, Hashable {
  /// The operator's own id.
  public var id: String
  /// `book`, `cd`, `dvd`, `game`, `software` or `food`.
  public var category: String
  /// Its name.
  public var name: String
  /// Its barcodes: EAN, UPC or ISBN, as printed.
  public var barcodes: [String] = []
  /// Where people find its picture.
  public var imageUrl: String?
  /// A page about it.
  public var url: String?
  /// Pages about it.
  public var sites: [Site] = []
  /// Whatever else is known, such as `maker`; `recognize` answers with it.
  public var details: [String: String] = [:]

  /// An item with what every item has.
  public init(id: String, category: String, name: String, barcodes: [String] = []) {
    self.id = id
    self.category = category
    self.name = name
    self.barcodes = barcodes
  }
}

/// An item of the catalogue.
public struct CatalogueItem: Sendable, Hashable, Codable {
  /// The operator's own id.
  public let id: String
  /// What kind of thing it is.
  public let category: String
  /// Its name.
  public let name: String
  /// Its barcodes, thirteen digits each.
  public let barcodes: [String]
  /// How many reference pictures it has.
  public let pictures: Int
  /// Where its picture is found; empty when nobody has said so.
  public let imageUrl: String
  /// The address of a small picture of it on the server, which takes a key.
  public let thumbnailUrl: String?
  /// What `recognize` answers as `detail`.
  public let detail: [String: JSONValue]
  /// What `recognize` answers as `sites`.
  public let sites: [Site]
}
