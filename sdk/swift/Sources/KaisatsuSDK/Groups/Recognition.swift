import Foundation

/// What is in a picture, and whether that was right.
public struct Recognition<Side: Sendable>: Sendable {
  let core: Core

  /// The categories of a picture, by a model of the server's.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - modelName: The model; ``models()`` lists them. `general` when it is left out.
  ///   - numOfCandidates: The most candidates; five when it is left out.
  ///   - language: The language of the tags, such as `ja`.
  ///   - place: Where the picture was taken: a hint for models that know places.
  ///   - gcs: The geodetic system of the places in the answer.
  ///   - progress: Told how much of the picture is sent.
  public func classify(
    _ image: Picture, modelName: String? = nil, numOfCandidates: Int? = nil, language: String? = nil,
    place: GeoPoint? = nil, gcs: GeodeticSystem = .wgs84, progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> Classification {
    var query = Query()
    query.add("lati_d", number: place?.latitude)
    query.add("longi_d", number: place?.longitude)
    query.add("gcs", (place?.gcs ?? gcs).rawValue)
    var form = Form(image: image)
    form.add("modelName", modelName)
    form.add("numOfCandidates", numOfCandidates)
    form.add("language", language)
    return try await core.decode(.post(core.image("concept/classify"), query, form: form, progress))
  }

  /// The categories of a picture, by a dataset that the user taught.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - dataSetId: The dataset, which must be ready, by its id or the user's own name of it.
  ///   - token: The user's token.
  ///   - numOfCandidates: The most candidates.
  ///   - progress: Told how much of the picture is sent.
  public func classify(
    _ image: Picture, dataSetId: String, token: String, numOfCandidates: Int? = nil, progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> Classification {
    var form = Form(image: image)
    form.add("dataSetId", dataSetId)
    form.add("numOfCandidates", numOfCandidates)
    return try await core.decode(.post(core.image("concept/classify"), Query(token: token), form: form, progress))
  }

  /// The things in a picture, each with its box.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - modelName: The model; `coco` when it is left out.
  ///   - numOfCandidates: The most candidates.
  ///   - minScore: The least score of a candidate; 0.3 to 0.5 for showing boxes to people.
  ///   - accuracy: `high` finds small things too, and takes several times as long.
  ///   - language: The language of the tags.
  ///   - progress: Told how much of the picture is sent.
  public func detect(
    _ image: Picture, modelName: String? = nil, numOfCandidates: Int? = nil, minScore: Double? = nil,
    accuracy: Accuracy? = nil, language: String? = nil, progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> Detection {
    var form = Form(image: image)
    form.add("modelName", modelName)
    form.add("numOfCandidates", numOfCandidates)
    form.add("minScore", number: minScore)
    form.add("accuracy", accuracy?.rawValue)
    form.add("language", language)
    return try await core.decode(.post(core.image("objectDetection/detect"), form: form, progress))
  }

  /// The images of a public collection that are like a picture.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - collection: The collection's name.
  ///   - numOfCandidates: The most candidates.
  ///   - minScore: The least score of a candidate; 0 shows all.
  ///   - progress: Told how much of the picture is sent.
  public func similar(
    _ image: Picture, collection: String, numOfCandidates: Int? = nil, minScore: Double? = nil,
    progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> Likenesses {
    var form = Form(image: image)
    form.add("collection", collection)
    form.add("numOfCandidates", numOfCandidates)
    form.add("minScore", number: minScore)
    return try await core.decode(.post(core.image("similarImage/search"), form: form, progress))
  }

  /// The images of a user's dataset that are like a picture.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - dataSetId: The dataset, which must be ready.
  ///   - token: The user's token.
  ///   - numOfCandidates: The most candidates.
  ///   - minScore: The least score of a candidate; 0 shows all.
  ///   - progress: Told how much of the picture is sent.
  public func similar(
    _ image: Picture, dataSetId: String, token: String, numOfCandidates: Int? = nil, minScore: Double? = nil,
    progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> Likenesses {
    var form = Form(image: image)
    form.add("dataSetId", dataSetId)
    form.add("numOfCandidates", numOfCandidates)
    form.add("minScore", number: minScore)
    return try await core.decode(.post(core.image("similarImage/search"), Query(token: token), form: form, progress))
  }

  /// The images of a public collection that show what a text says, where its model has a text encoder.
  ///
  /// - Parameters:
  ///   - text: What they show.
  ///   - collection: The collection's name.
  ///   - numOfCandidates: The most candidates.
  ///   - minScore: The least score of a candidate.
  public func similar(
    toText text: String, collection: String, numOfCandidates: Int? = nil, minScore: Double? = nil
  ) async throws(KaisatsuError) -> Likenesses {
    var form = Form(text: text)
    form.add("collection", collection)
    form.add("numOfCandidates", numOfCandidates)
    form.add("minScore", number: minScore)
    return try await core.decode(.post(core.image("similarImage/search"), form: form))
  }

  /// The images of a user's dataset that show what a text says, where its model has a text encoder.
  ///
  /// - Parameters:
  ///   - text: What they show.
  ///   - dataSetId: The dataset, which must be ready.
  ///   - token: The user's token.
  ///   - numOfCandidates: The most candidates.
  ///   - minScore: The least score of a candidate.
  public func similar(
    toText text: String, dataSetId: String, token: String, numOfCandidates: Int? = nil, minScore: Double? = nil
  ) async throws(KaisatsuError) -> Likenesses {
    var form = Form(text: text)
    form.add("dataSetId", dataSetId)
    form.add("numOfCandidates", numOfCandidates)
    form.add("minScore", number: minScore)
    return try await core.decode(.post(core.image("similarImage/search"), Query(token: token), form: form))
  }

  /// The items of the catalogue in a picture: books, packages of food and the like.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - recog: What kind of items is searched; `product-all` when it is left out.
  ///   - numOfCandidates: The most candidates, 1 to 50.
  ///   - progress: Told how much of the picture is sent.
  public func recognize(
    _ image: Picture, recog: ItemKind? = nil, numOfCandidates: Int? = nil, progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> RecognizedItems {
    var query = Query()
    query.add("recog", recog?.rawValue)
    query.add("numOfCandidates", numOfCandidates)
    return try await core.decode(.post(core.image("recognize"), query, picture: image, progress))
  }

  /// The lines of text in a picture.
  ///
  /// - Parameters:
  ///   - image: The picture.
  ///   - language: `ja` or `en`, which decides between characters that look alike.
  ///   - progress: Told how much of the picture is sent.
  public func readText(
    _ image: Picture, language: String? = nil, progress: UploadProgress? = nil
  ) async throws(KaisatsuError) -> ReadText {
    var form = Form(image: image)
    form.add("language", language)
    return try await core.decode(.post(core.image("text/read"), form: form, progress))
  }
}

extension Recognition {
  /// Says whether a whole result was right. Said again, the last word counts.
  ///
  /// - Parameters:
  ///   - recognitionId: The result.
  ///   - isValid: Whether it was right.
  ///   - comment: At most 2,000 characters for the operator.
  ///   - tag: What the picture really shows: a tag of the model that answered, also one that is no candidate.
  ///   - idempotencyKey: Used for no other request: the server does the work of the same request with the same key
  ///     once within a day. A random one when it is left out.
  public func feedback(
    recognitionId: String, isValid: Bool, comment: String? = nil, tag: String? = nil, idempotencyKey: String? = nil
  ) async throws(KaisatsuError) {
    var query = Query()
    query.add("recognitionId", recognitionId)
    query.add("isValid", isValid ? "true" : "false")
    try await core.perform(.post(core.image("feedback"), query, json: said(comment, tag)).once(idempotencyKey))
  }

  /// Says whether one candidate was right. Said again, the last word counts.
  ///
  /// - Parameters:
  ///   - recognitionId: The result.
  ///   - itemId: The candidate.
  ///   - isValid: Whether it was right.
  ///   - comment: At most 2,000 characters for the operator.
  ///   - tag: What the picture really shows: a tag of the model that answered, also one that is no candidate.
  ///   - idempotencyKey: Used for no other request: the server does the work of the same request with the same key
  ///     once within a day. A random one when it is left out.
  public func feedbackToCandidate(
    recognitionId: String, itemId: String, isValid: Bool, comment: String? = nil, tag: String? = nil,
    idempotencyKey: String? = nil
  ) async throws(KaisatsuError) {
    var query = Query()
    query.add("recognitionId", recognitionId)
    query.add("itemId", itemId)
    query.add("isValid", isValid ? "true" : "false")
    try await core.perform(
      .post(core.image("feedbackToCandidate"), query, json: said(comment, tag)).once(idempotencyKey))
  }

  /// The models of the server, by task.
  public func models() async throws(KaisatsuError) -> [TaskModels] {
    let answer: ModelList = try await core.decode(.get(core.image("models")))
    return answer.tasks
  }

  /// Some of the tags that a model can answer with.
  ///
  /// - Parameters:
  ///   - name: The model.
  ///   - language: The language of the names.
  ///   - text: Only tags that contain this.
  ///   - limit: How many at most, 1 to 1000.
  ///   - offset: The number of the first one, from 1.
  public func modelTags(
    _ name: String, language: String? = nil, text: String? = nil, limit: Int? = nil, offset: Int? = nil
  ) async throws(KaisatsuError) -> Tags {
    var query = Query()
    query.add("language", language)
    query.add("text", text)
    query.add("limit", limit)
    query.add("offset", offset)
    return try await core.decode(.get(core.image("models/\(Query.escape(name))/tags"), query))
  }

  /// All tags that a model can answer with, page by page.
  public func eachTag(
    _ name: String, language: String? = nil, text: String? = nil, pageSize: Int = 1000
  ) -> Pages<Tag> {
    Pages { cursor throws(KaisatsuError) in
      let offset = cursor.flatMap { Int($0) } ?? 1
      let tags = try await modelTags(name, language: language, text: text, limit: pageSize, offset: offset)
      return Page(elements: tags.tags, offset: tags.offset, of: tags.max)
    }
  }

  /// A small picture of an image of a collection.
  public func thumbnail(collection: String, imageId: String) async throws(KaisatsuError) -> Payload {
    var query = Query()
    query.add("collection", collection)
    query.add("imageId", imageId)
    return try await core.bytes(.get(core.image("thumbnail"), query))
  }

  /// A small picture of an item of the catalogue.
  public func thumbnail(itemId: String) async throws(KaisatsuError) -> Payload {
    var query = Query()
    query.add("id", itemId)
    return try await core.bytes(.get(core.image("thumbnail"), query))
  }

  private func said(_ comment: String?, _ tag: String?) -> [String: JSONValue] {
    ["comment": comment, "tag": tag].compactMapValues { $0.map { .string($0) } }
  }
}

// What a restricted key is refused: it tells of the application's other users.
extension Recognition where Side == ServerSide {
  /// How often candidates were right, by the application's feedback.
  ///
  /// - Parameters:
  ///   - modelName: One model only.
  ///   - since: The first moment that counts, such as `2026-11-01T00:00:00Z`.
  ///   - until: The first moment that no longer counts.
  ///   - interval: How long the stretches of time are that are counted apart, such as `day`.
  public func feedbackTotals(
    modelName: String? = nil, since: String? = nil, until: String? = nil, interval: String? = nil
  ) async throws(KaisatsuError) -> [FeedbackTotal] {
    var query = Query()
    query.add("modelName", modelName)
    query.add("since", since)
    query.add("until", until)
    query.add("interval", interval)
    let answer: TotalList = try await core.decode(.get(core.image("feedbackTotals"), query))
    return answer.totals
  }

  /// What moved the scores of a recognition.
  public func explain(recognitionId: String) async throws(KaisatsuError) -> Explanation {
    var query = Query()
    query.add("recognitionId", recognitionId)
    return try await core.decode(.get(core.image("explain"), query))
  }
}

// What has generic parameters cannot have types of its own in its functions.
private struct ModelList: Decodable {
  let tasks: [TaskModels]
}

private struct TotalList: Decodable {
  let totals: [FeedbackTotal]
}
