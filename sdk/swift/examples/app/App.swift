// An app that uses the token broker of sdk/java. On Apple's systems it has a screen, which this project's tests have
// never compiled; elsewhere the same lessons are run by a command, which they do.

import Foundation
import KaisatsuSDK

#if canImport(SwiftUI)
  import SwiftUI

  @main
  struct LessonsApp: App {
    var body: some Scene {
      WindowGroup { LessonsView(model: LessonsModel(lessons: .fromEnvironment())) }
    }
  }
#else
  @main
  enum LessonsCommand {
    static func main() async throws {
      let folder = URL(fileURLWithPath: CommandLine.arguments[1])
      func picture(_ name: String) -> Picture { Picture(file: folder.appendingPathComponent(name)) }
      let lessons = Lessons.fromEnvironment()
      for tag in ["disc", "stripes", "checks"] {
        for number in 1...4 { try await lessons.show(picture("\(tag)-\(number).png"), of: tag) }
      }
      let dataSetId = try await lessons.learn(name: "shapes") { print("\($0.progress.done) of \($0.progress.total)") }
      let answer = try await lessons.ask(picture("checks-5.png"), dataSetId: dataSetId)
      print("It is \(answer?.tag ?? "nothing of these")")
    }
  }
#endif

extension Lessons {
  /// An app of yours has these three in its configuration, and the session from its own sign-in.
  static func fromEnvironment() -> Lessons {
    let environment = ProcessInfo.processInfo.environment
    let kaisatsu = Kaisatsu(
      restrictedKey: environment["KAISATSU_RESTRICTED_KEY"]!, address: URL(string: environment["KAISATSU_URL"]!)!)
    let broker = URL(string: environment["KAISATSU_BROKER"]!)!
    return Lessons(
      kaisatsu: kaisatsu, tokens: TokenSource(broker: broker, session: environment["APP_SESSION"] ?? "alice"))
  }
}
