import Testbed
import Testing

@testable import CoreBluetooth

@Suite("10.1 Answers to reads that are as long as a value may be, and longer")
struct LongAnswerTests {
    @Test(
        "R3 centrals get 512 octets; a longer answer is logged once for each long read",
        arguments: [511, 512, 513, 2000]
    )
    func length(count: Int) throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        talk.ball.reading = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let log = CapturedLog()
        for _ in 0..<2 {
            log.capture {
                peripheral.readValue(for: answer)
                talk.testbed.run()
            }
            #expect(answer.value == talk.ball.reading.prefix(512))
        }
        #expect(talk.central.errors.isEmpty)
        #expect(log.all.count { $0.contains("has \(count) octets") } == (count > 512 ? 2 : 0))
    }
}
