import Foundation
import Testing

@testable import CommandLineTool

@Suite("The limit of open files")
struct OpenFilesTests {
    @Test(
        "is raised to what a program needs; an error says that the system does not allow it",
        arguments: [(16, 16, nil), (16, 63, nil), (16, 64, 64), (63, 4_096, 64), (64, 64, 0), (1_024, 4_096, 0)]
            as [(rlim_t, rlim_t, rlim_t?)]
    )
    func limit(current: rlim_t, maximum: rlim_t, raised: rlim_t?) throws {
        let limit = rlimit(rlim_cur: current, rlim_max: maximum)
        guard let raised else {
            let failure = #expect(throws: Failure.self) { try OpenFiles.raised(limit) }
            #expect(failure?.line.hasPrefix("the system allows \(maximum) open files, too few for Bluetooth; ") == true)
            return
        }
        #expect(try OpenFiles.raised(limit) ?? 0 == raised)
    }
}
