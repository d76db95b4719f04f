import BluetoothHCI
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Captures of a process")
struct CaptureFileSystemTests {
    #if os(Linux)
    @Test("a disk that becomes full inside a record leaves complete records")
    func partialRecord() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let folder = try TemporaryFolder()
            let file = try CaptureFile(path: folder("a"), logger: LogLines().logger)
            // A header of 16 octets, and 31 for each record: the limit is inside the fourth record.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 120, rlim_max: 120)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            for _ in 0..<3 {
                file.record(HCIPacket(octetsOfH4: [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]), .toHost)
                file.flush()
            }
            for _ in 0..<3 { file.record(HCIPacket(octetsOfH4: [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]), .toHost) }
            file.flush()
            print(try Data(contentsOf: URL(fileURLWithPath: folder("a"))).count)
        }
        let text = try String(decoding: #require(result).standardOutputContent, as: UTF8.self)
        #expect(text.contains("109\n"), "\(text)")
    }
    #endif

    @Test("uses the system's clock, to the microsecond")
    func microseconds() {
        func system() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        }
        // If the clock is set meanwhile, another reading succeeds.
        let isInBetween = (0..<20).map { _ in
            let before = system()
            let now = BTSnoop.Timestamp.now().microsecondsSince1970
            return before <= now && now <= system()
        }
        #expect(isInBetween.contains(true))
    }
}
