import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("Steps of the SDK in a trace")
struct StepTraceTests {
    @Test("records a step in the trace before it reports it to the session")
    func traced() async throws {
        let folder = try TemporaryFolder()
        let path: String = folder("trace.jsonl")
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [path = path as String] in
            let sdk = ITCB_SDK()
            Steps.observe(sdk) { _ in Console.print("without a trace") }
            sdk._note(.serviceAdded)
            try Timeline.begin(.file(path), device: "ball")
            sdk._note(.scanning)
            Steps.observe(sdk, isTraced: false) { _ in Console.print("not traced") }
            sdk._note(.discoveringServices)
            Steps.observe(sdk) { _ in
                let entries = (try? TimelineFile.read(path)) ?? []
                Console.print("\(entries.count) \(entries.last?.text ?? "-")")
            }
            sdk._note(.advertising(name: "Crystal"))
            for entry in try TimelineFile.read(path) {
                Console.print("\(entry.kind) \(entry.device) \(entry.layer): \(entry.text)")
            }
            fflush(nil)
            _exit(0)
        }
        #expect(
            result.lines == [
                "without a trace", "without a trace", "not traced", "2 advertises the service as \"Crystal\"",
                "sdk ball ITCB: scans for peripherals with the 8-ball service",
                "sdk ball ITCB: advertises the service as \"Crystal\"",
            ]
        )
        withExtendedLifetime(folder) {}
    }
}
