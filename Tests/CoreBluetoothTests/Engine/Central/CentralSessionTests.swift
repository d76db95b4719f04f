import Testbed
import Testing

@testable import CoreBluetooth

@Suite("1.4 6 13.1 A central manager's session")
struct CentralSessionTests {
    @Test(
        "1.4 ends the connections of an app that may no longer use Bluetooth without a callback, not another app's",
        arguments: [false, true]
    )
    func denied(isShared: Bool) throws {
        let talk = Conversation()
        let (testbed, policy) = (talk.testbed, PolicyStub("asker"))
        let central = policy.launchCentral(on: talk.centralAdapter, in: testbed)
        let peripheral = try central.connect(in: testbed)
        try peripheral.subscribeToAnswer(in: testbed)
        if isShared {
            let same = try talk.central.retrieve(peripheral)
            talk.central.connect(same, in: testbed)
            try same.subscribeToAnswer(in: testbed)
        }
        /// The number of links, and of peripherals that the app would be restored with.
        func counts() -> [Int]? {
            talk.centralAdapter.readEngine(in: testbed) { core -> [Int] in
                let session = core.centralSessions.first { $0.isPreserved }
                return [core.host.links.count, session?.makeRecord().peripherals.count ?? -1]
            }
        }
        #expect(counts() == [1, 1])
        for authorization in [CBManagerAuthorization.denied, .allowedAlways] {
            policy.decide(authorization)
            testbed.run(.seconds(2))
            #expect(counts() == [isShared ? 1 : 0, 0] && peripheral.state == .disconnected)
        }
        #expect(central.calls.suffix(2) == ["state 3", "state 5"])
        #expect(!central.calls.contains { $0.hasPrefix("disconnect") })
        #expect(talk.ball.answer.subscribedCentrals?.count == (isShared ? 1 : 0))
        talk.update("Yes")
        testbed.run()
        #expect(central.values.isEmpty && talk.central.values == (isShared ? ["Yes"] : []))
    }
}
