import Foundation

/// Some elements of a list, and what asks for those that follow.
public struct Page<Element: Sendable>: Sendable {
  /// The elements.
  public let elements: [Element]
  /// What to pass as `cursor` for those that follow; absent when none do.
  public let nextCursor: String?
}

/// All elements of a list, fetched page by page as they are asked for.
///
/// ```swift
/// for try await image in client.images.each(token: token) { print(image.imageId) }
/// ```
/// What it throws is always a ``KaisatsuError``.
public struct Pages<Element: Sendable>: AsyncSequence, Sendable {
  typealias Fetch = @Sendable (_ cursor: String?) async throws(KaisatsuError) -> Page<Element>

  let fetch: Fetch

  /// Begins with the first element.
  public func makeAsyncIterator() -> Iterator {
    Iterator(fetch: fetch)
  }

  /// Walks through the pages.
  public struct Iterator: AsyncIteratorProtocol {
    private let fetch: Fetch
    private var waiting: ArraySlice<Element> = []
    private var cursor: String?
    private var ended = false

    init(fetch: @escaping Fetch) {
      self.fetch = fetch
    }

    /// The next element; nil after the last one.
    public mutating func next() async throws -> Element? {
      while waiting.isEmpty {
        if ended { return nil }
        let page = try await fetch(cursor)
        waiting = page.elements[...]
        cursor = page.nextCursor
        ended = cursor == nil
      }
      return waiting.popFirst()
    }
  }
}

extension Page {
  /// A page of a list that counts its elements from 1 instead of having cursors.
  init(elements: [Element], offset: Int, of count: Int) {
    let next = offset + elements.count
    self.init(elements: elements, nextCursor: elements.isEmpty || next > count ? nil : String(next))
  }
}
