// What is this, and what is where in the picture?

import Foundation
import KaisatsuSDK

let environment = ProcessInfo.processInfo.environment
let kaisatsu = Kaisatsu(
  restrictedKey: environment["KAISATSU_RESTRICTED_KEY"]!, address: URL(string: environment["KAISATSU_URL"]!)!)
let picture = Picture(file: URL(fileURLWithPath: CommandLine.arguments[1]))

if let best = try await kaisatsu.recognition.classify(picture, language: "en").candidates.first {
  print("\(best.tag): \(Int((best.score * 100).rounded()))%")
}
for thing in try await kaisatsu.recognition.detect(picture, minScore: 0.5).candidates {
  print("\(thing.tag) from \(Int(thing.xMin)), \(Int(thing.yMin)) to \(Int(thing.xMax)), \(Int(thing.yMax))")
}
