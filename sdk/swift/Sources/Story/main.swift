// Runs the conformance story of sdk/cases; its README.md says what the steps mean.

import Foundation
import KaisatsuSDK

let environment = try Environment()
let story = Story(environment: environment)
let failed = try await story.run()
exit(failed == 0 ? 0 : 1)
