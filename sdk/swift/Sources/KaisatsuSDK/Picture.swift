import Foundation

/// A picture to be sent: JPEG, PNG, GIF, BMP, TIFF or WebP.
public struct Picture: Sendable {
  private enum Source: Sendable {
    case data(Data)
    case file(URL)
  }

  private let source: Source
  /// The file name that goes with it in forms.
  public let name: String

  /// The bytes of a picture file.
  public init(_ data: Data, name: String = "picture") {
    source = .data(data)
    self.name = name
  }

  /// A picture file. It is read when it is sent, without a copy in memory where the file system allows it.
  public init(file: URL) {
    source = .file(file)
    name = file.lastPathComponent
  }

  func read() throws(KaisatsuError) -> Data {
    switch source {
    case .data(let data): return data
    case .file(let url):
      do {
        return try Data(contentsOf: url, options: .mappedIfSafe)
      } catch {
        throw .invalidInput(message: "the picture \(name) cannot be read: \(error.localizedDescription)")
      }
    }
  }
}

/// Bytes that the server sent: a drawn map or a stored picture.
public struct Payload: Sendable, Hashable {
  /// The bytes.
  public let data: Data
  /// What they are, such as `image/png`.
  public let contentType: String
}
