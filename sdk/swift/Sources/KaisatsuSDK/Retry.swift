import Foundation

/// When a failed attempt is followed by another one.
struct Retry: Sendable {
  let attempts: Int
  let backoff: TimeInterval
  let longestBackoff: TimeInterval

  init(_ options: Options) {
    attempts = options.attempts
    backoff = options.backoff
    longestBackoff = options.longestBackoff
  }

  /// How long to wait before the next attempt; nil when there is to be none.
  ///
  /// A call that is not idempotent is repeated only where the server cannot have acted on it: it was never sent, or it
  /// was refused with 429, or with 503 and a time.
  func wait(
    after attempt: Int, _ failure: TransportFailure, idempotent: Bool
  ) -> TimeInterval? {
    guard attempt < attempts else { return nil }
    switch failure.kind {
    case .notSent: return jittered(attempt)
    case .cut, .timedOut: return idempotent ? jittered(attempt) : nil
    case .answerTooLarge, .cancelled, .permanent: return nil
    }
  }

  /// The same for an answer that is a refusal.
  func wait(after attempt: Int, _ failure: ServerFailure, idempotent: Bool, once: Bool = false) -> TimeInterval? {
    guard attempt < attempts else { return nil }
    switch failure.status {
    // The server is still at work on an attempt before this one.
    case 409 where once: return failure.retryAfter.map { max($0, jittered(attempt)) }
    case 429: return max(failure.retryAfter ?? 0, jittered(attempt))
    // Without a time it need not be the server who says so, but something in front of it that gave up.
    case 503: return failure.retryAfter == nil && !idempotent ? nil : max(failure.retryAfter ?? 0, jittered(attempt))
    default: return nil
    }
  }

  private func jittered(_ attempt: Int) -> TimeInterval {
    let full = min(longestBackoff, backoff * pow(2, Double(attempt - 1)))
    return full * Double.random(in: 0.5...1)
  }

  /// The seconds of a `Retry-After` header, which is a number or a date.
  static func seconds(_ header: String?, now: Date = Date()) -> TimeInterval? {
    guard let header = header?.trimmingCharacters(in: .whitespaces) else { return nil }
    if let seconds = TimeInterval(header) { return seconds.isFinite ? max(0, seconds) : nil }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return format.date(from: header).map { max(0, $0.timeIntervalSince(now)) }
  }
}
