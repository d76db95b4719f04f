// What the recipes of the page "Porting an app" do on this platform.

import CoreBluetoothTesting
import Testing

@Suite("Recipes")
struct RecipesTests {
    @Test("computes an HMAC by swift-crypto")
    func cryptography() {
        // RFC 4231, test case 2.
        let answer = answer(to: Data("what do ya want for nothing?".utf8), secret: "Jefe")
        #expect(answer.prefix(4) == Data([0x5B, 0xDC, 0xC1, 0x46]))
        #expect(answer.count == 32)
    }

    @Test("hides private values in log messages")
    func logs() {
        let message: LogMessage = "found \("Tag", privacy: .private) at \(-40) dBm, \("near", privacy: .public)"
        #expect(message.text == "found <private> at -40 dBm, near")
        log.debug("\(message.text)")
    }

    @Test("delivers a notification without a selector")
    func selectors() {
        var status: SensorStatus? = SensorStatus()
        NotificationCenter.default.post(name: .sensorWasLost, object: nil)
        #expect(status?.losses == 1)
        weak let released = status
        status = nil
        #expect(released == nil)
    }

    @Test("compiles and runs what iOS has")
    func platforms() throws {
        #expect(!deviceName().isEmpty)
        let world = World(seed: 1)
        let central = world.addDevice("phone").run { CBCentralManager(delegate: nil, queue: nil) }
        try world.run(until: central.state == .poweredOn)
        followConnections(of: CBUUID(string: "180D"), with: central)
    }

    @Test("fires a timer after its interval, not at once")
    @MainActor func timers() {
        let timer = addTimer(every: 3600) { _ in Issue.record("fired") }
        #expect(timer.fireDate.timeIntervalSinceNow > 3500)
        RunLoop.main.run(until: Date())
        timer.invalidate()
    }

    @Test("tells errors of each kind apart")
    func errors() {
        struct Refused: Error {}
        #expect(outcome {} == "done")
        #expect(outcome { throw CBATTError(.insufficientAuthentication) } == "pair first")
        #expect(outcome { throw CBError(.connectionTimeout) } == "CBErrorDomain 6")
        #expect(outcome { throw NSError(domain: "x", code: 3) } == "x 3")
        #expect(outcome { throw Refused() }.hasSuffix("Refused 1"))
    }

    @Test("reads octets within their bounds")
    func octets() {
        #expect(heartRate(in: Data([0, 72])) == 72)
        #expect(heartRate(in: Data([1, 0x2C, 0x01])) == 300)
        #expect(heartRate(in: Data([1, 72])) == nil)
        #expect(heartRate(in: Data()) == nil)
    }

    @Test("calls a method of the base class in the subclass")
    func subclasses() throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Tag", services: []))
        let wrapper = RestoringWrapper()
        let central = world.addDevice("phone").run { CBCentralManager(delegate: wrapper, queue: nil) }
        try world.run(until: wrapper.events == ["state"])
        let delegate: any CBCentralManagerDelegate = wrapper
        delegate.centralManager(central, willRestoreState: [:])
        #expect(wrapper.events == ["state", "restored"])
    }

    @Test("has constants")
    @MainActor func constants() {
        #expect(Profile.heartRate == CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB"))
        #expect(Profile.measurement == CBUUID(string: "2A37"))
        #expect(ScreenProfile.battery == CBUUID(string: "180F"))
    }
}
