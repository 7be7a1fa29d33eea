import Foundation
import KaisatsuSDK

/// What the app does for its user: it stores pictures of things, teaches them, and tells them apart.
struct Lessons: Sendable {
  let kaisatsu: Kaisatsu
  let tokens: TokenSource

  /// Stores a picture of a thing.
  func show(_ picture: Picture, of tag: String, progress: UploadProgress? = nil) async throws {
    _ = try await withToken { token in
      try await kaisatsu.images.upload(picture, tag: tag, token: token, progress: progress)
    }
  }

  /// Learns all pictures that were shown, and tells how far it is.
  func learn(name: String, told: @Sendable (DataSet) -> Void) async throws -> String {
    try await withToken { token in
      var images: [TaggedImage] = []
      for try await image in kaisatsu.images.each(token: token) where !image.tag.isEmpty {
        images.append(.stored(image.imageId, tag: image.tag))
      }
      let dataSet = try await kaisatsu.datasets.create(name: name, images: images, token: token)
      for try await now in kaisatsu.datasets.progress(of: dataSet.dataSetId, token: token) { told(now) }
      return dataSet.dataSetId
    }
  }

  /// What is in a picture.
  func ask(_ picture: Picture, dataSetId: String) async throws -> TagCandidate? {
    try await withToken { token in
      try await kaisatsu.recognition.classify(picture, dataSetId: dataSetId, token: token).candidates.first
    }
  }

  /// Does something with the token, and once more with a new one when the server no longer takes the first.
  private func withToken<Result: Sendable>(
    _ action: @Sendable (String) async throws -> Result
  ) async throws -> Result {
    do {
      return try await action(tokens.token())
    } catch KaisatsuError.unauthorised(let failure) where failure.code == "117" {
      await tokens.forget()
      return try await action(tokens.token())
    }
  }
}
