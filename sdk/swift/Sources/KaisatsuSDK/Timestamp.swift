import Foundation

/// The server's times, `2026-11-15T09:30:00Z`, with or without a fraction. `ISO8601DateFormatter` takes one of the two
/// at a time and must not be shared between threads.
enum Timestamp {
  static func date(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":")
    else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      Int(String(decoding: bytes[range], as: UTF8.self))
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = Double(String(decoding: bytes[17..<(bytes.count - 1)], as: UTF8.self)),
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let seconds = Double(((days(year, month, day) * 24 + hour) * 60 + minute) * 60) + second
    return Date(timeIntervalSince1970: seconds)
  }

  static func text(_ date: Date) -> String {
    let formatter = ISO8601DateFormatter()
    return formatter.string(from: date)
  }

  /// Days since 1970-01-01 in the Gregorian calendar, with years that begin in March so that leap days come last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
