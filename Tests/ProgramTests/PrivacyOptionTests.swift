// Real processes with --privacy: who sees the same device, and who another one.

import Foundation
import Testing

@Suite("--privacy")
struct PrivacyOptionTests {
    @Test("A device that hides is another one when it begins anew; without --privacy it is the same")
    func identifiers() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        for isPrivate in [true, false] {
            let identifiers = try (0..<2).map { _ in
                let arguments = ["advertise", "--name", "Meter", "--benchmark", "--identity", "meter"]
                let meter = try testbed.start("corebluetooth", arguments + (isPrivate ? ["--privacy"] : []))
                defer { meter.terminate() }
                try meter.line(with: "is advertising")
                let inspect = try testbed.tool("inspect", "Meter", "--json", "--no-values", "--identity", "watcher")
                #expect(try inspect.end() == 0, "\(inspect.errorLines)")
                meter.send(SIGTERM)
                _ = try meter.end()
                return try #require(try inspect.objects().first?["identifier"] as? String)
            }
            #expect((identifiers[0] != identifiers[1]) == isPrivate)
        }
    }
}
