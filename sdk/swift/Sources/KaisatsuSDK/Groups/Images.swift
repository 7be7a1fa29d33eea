import Foundation

/// Users' stored images.
public struct Images: Sendable {
  let core: Core

  /// Stores an image.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - tag: What it shows; a dataset takes it over unless it says something else.
  ///   - name: What the user calls it.
  ///   - token: The user's token.
  ///   - idempotencyKey: Used for no other request: the server does the work of the same request with the same key
  ///     once within a day. A random one when it is left out.
  ///   - progress: Told how much of the picture is sent.
  public func upload(
    _ image: Picture, tag: String? = nil, name: String? = nil, token: String, idempotencyKey: String? = nil,
    progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> UploadedImage {
    var form = Form(image: image)
    form.add("tag", tag)
    form.add("name", name)
    return try await core.decode(
      .post(core.image("userCategory/uploadImage"), Query(token: token), form: form, progress).once(idempotencyKey))
  }

  /// Some of the user's images, oldest first.
  ///
  /// - Parameters:
  ///   - token: The user's token.
  ///   - cursor: `nextCursor` of the page before.
  ///   - limit: How many at most.
  public func list(
    token: String, cursor: String? = nil, limit: Int? = nil
  ) async throws(KaisatsuError) -> Page<StoredImage> {
    struct Answer: Decodable {
      let images: [StoredImage]
      let nextCursor: String?
    }
    let answer: Answer = try await core.decode(
      .post(
        core.image("userCategory/listImages"), Query(token: token), json: pageBody(cursor, limit), idempotent: true))
    return Page(elements: answer.images, nextCursor: answer.nextCursor)
  }

  /// All images of the user, page by page.
  public func each(token: String, pageSize: Int? = nil) -> Pages<StoredImage> {
    Pages { cursor throws(KaisatsuError) in try await list(token: token, cursor: cursor, limit: pageSize) }
  }

  /// The image itself.
  ///
  /// - Parameters:
  ///   - imageId: The image.
  ///   - token: The user's token.
  ///   - size: `thumbnail` for a small one, where the server has one; the image as stored when it is left out.
  public func get(_ imageId: String, token: String, size: String? = nil) async throws(KaisatsuError) -> Payload {
    var query = Query(token: token)
    query.add("imageId", imageId)
    query.add("size", size)
    return try await core.bytes(.get(core.image("userCategory/getImage"), query))
  }

  /// Deletes an image.
  public func delete(_ imageId: String, token: String) async throws(KaisatsuError) {
    let body: [String: JSONValue] = ["imageId": .string(imageId)]
    try await core.perform(.post(core.image("userCategory/deleteImage"), Query(token: token), json: body))
  }
}
