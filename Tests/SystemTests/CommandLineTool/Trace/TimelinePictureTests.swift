import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The picture of a trace")
struct TimelinePictureTests {
    @Test("A picture is made of so many entries, and says where more have come", arguments: [0, 1, 7])
    func picture(more: Int) async throws {
        let folder = try TemporaryFolder()
        let path: String = folder("a.mmd")
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String, more = more as Int] in
            try Timeline.begin(.diagram(path, .mermaid), device: "asker")
            for number in 0..<Timeline.diagramLimit + more {
                Timeline.current?.add(TimelineEntry(.call, of: "asker", layer: "Core Bluetooth", "call \(number)"))
            }
            exit(0)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("call \(Timeline.diagramLimit - 1)"))
        #expect(!text.contains("call \(Timeline.diagramLimit)"))
        #expect(text.contains("the rest is left out") == (more > 0))
    }
}
