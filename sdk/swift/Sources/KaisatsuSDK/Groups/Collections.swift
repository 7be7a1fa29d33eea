import Foundation

/// The public collections of similar image search. It needs an operator's key.
public struct Collections: Sendable {
  let core: Core

  /// Some collections, oldest first.
  ///
  /// - Parameters:
  ///   - cursor: `nextCursor` of the page before.
  ///   - limit: How many at most, 1 to 1000.
  public func list(cursor: String? = nil, limit: Int? = nil) async throws(KaisatsuError) -> Page<ImageCollection> {
    struct Answer: Decodable {
      let collections: [ImageCollection]
      let nextCursor: String?
    }
    var query = Query()
    query.add("cursor", cursor)
    query.add("limit", limit)
    let answer: Answer = try await core.decode(.get(core.image("similarImage/collections"), query))
    return Page(elements: answer.collections, nextCursor: answer.nextCursor)
  }

  /// All collections, page by page.
  public func each(pageSize: Int? = nil) -> Pages<ImageCollection> {
    Pages { cursor throws(KaisatsuError) in try await list(cursor: cursor, limit: pageSize) }
  }

  /// Adds an image, or replaces the one of the same id; the collection is created if there is none of that name.
  ///
  /// - Parameters:
  ///   - image: The picture. It is not stored: only its vector is.
  ///   - collection: The collection.
  ///   - imageId: The operator's own id of the image.
  ///   - tag: What it is tagged with.
  ///   - imageUrl: Where people find it.
  ///   - modelName: The model whose vectors are compared, for a new or empty collection.
  ///   - idempotencyKey: Used for no other request: the server does the work of the same request with the same key
  ///     once within a day. A random one when it is left out.
  ///   - progress: Told how much of the picture is sent.
  public func add(
    _ image: Picture, to collection: String, imageId: String, tag: String? = nil, imageUrl: String? = nil,
    modelName: String? = nil, idempotencyKey: String? = nil, progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> ImageCollection {
    var form = Form()
    form.add("collection", collection)
    form.add("imageId", imageId)
    form.add("tag", tag)
    form.add("imageUrl", imageUrl)
    form.add("modelName", modelName)
    form.add("image", image)
    return try await core.decode(
      .post(core.image("similarImage/collections"), form: form, progress).once(idempotencyKey))
  }

  /// Removes an image of a collection, or the whole collection when no image is named.
  public func remove(_ collection: String, imageId: String? = nil) async throws(KaisatsuError) {
    var query = Query()
    query.add("collection", collection)
    query.add("imageId", imageId)
    try await core.perform(.delete(core.image("similarImage/collections"), query))
  }

  /// Some images of a collection, in the order in which they were first added.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - cursor: `nextCursor` of the page before.
  ///   - limit: How many at most, 1 to 1000.
  public func images(
    of collection: String, cursor: String? = nil, limit: Int? = nil
  ) async throws(KaisatsuError) -> Page<CollectionImage> {
    struct Answer: Decodable {
      let images: [CollectionImage]
      let nextCursor: String?
    }
    var query = Query()
    query.add("collection", collection)
    query.add("cursor", cursor)
    query.add("limit", limit)
    let answer: Answer = try await core.decode(.get(core.image("similarImage/collections/images"), query))
    return Page(elements: answer.images, nextCursor: answer.nextCursor)
  }

  /// All images of a collection, page by page.
  public func eachImage(of collection: String, pageSize: Int? = nil) -> Pages<CollectionImage> {
    Pages { cursor throws(KaisatsuError) in try await images(of: collection, cursor: cursor, limit: pageSize) }
  }
}

/// A public collection.
public struct ImageCollection: Sendable, Hashable, Codable {
  /// What `similar` takes as `collection`.
  public let collection: String
  /// How many images it has.
  public let images: Int
  /// The model whose vectors are compared.
  public let modelName: String
  /// When it was created.
  public let createdAt: Date
}

/// An image of a collection.
public struct CollectionImage: Sendable, Hashable, Codable {
  /// The operator's own id of it.
  public let imageId: String
  /// Where it is found; empty when nobody has said so.
  public let imageUrl: String
  /// The address of a small picture of it on the server, which takes a key.
  public let thumbnailUrl: String?
  /// What it is tagged with; empty for nothing.
  public let tag: String
}
