// Recognises a picture and says which candidate was right and which was wrong.

import Foundation
import KaisatsuSDK

let environment = ProcessInfo.processInfo.environment
let kaisatsu = Kaisatsu(
  restrictedKey: environment["KAISATSU_RESTRICTED_KEY"]!, address: URL(string: environment["KAISATSU_URL"]!)!)
let picture = Picture(file: URL(fileURLWithPath: CommandLine.arguments[1]))
let right = CommandLine.arguments[2]

let answer = try await kaisatsu.recognition.classify(picture)
for candidate in answer.candidates {
  let isRight = candidate.tag == right
  try await kaisatsu.recognition.feedbackToCandidate(
    recognitionId: answer.recognitionId, itemId: candidate.itemId, isValid: isRight,
    comment: isRight ? nil : "it is \(right)")
  print("\(candidate.tag): \(isRight ? "right" : "wrong")")
}
for candidate in try await kaisatsu.recognition.classify(picture).candidates {
  print("now \(candidate.tag): \(String(format: "%.3f", candidate.score))")
}
