import Foundation
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("The SDK and its observers")
struct ITCB_SDKTests {
    private final class ObjectObserver: ITCB_Observer_Protocol {
        var uuid = UUID()
        var errors = 0
        func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) { errors += 1 }
    }

    /// Unregisters at its first error.
    private final class Leaver: ITCB_Observer_Protocol {
        var uuid = UUID()
        var errors = 0
        func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
            errors += 1
            sdk.removeObserver(self)
        }
    }

    private struct ValueObserver: ITCB_Observer_Protocol {
        var uuid = UUID()
        func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {}
    }

    @Test("adds an observer once, and knows a value by the identity of its stored copy")
    func observers() {
        let sdk = ITCB_SDK()
        let (object, other) = (ObjectObserver(), ObjectObserver())
        var value = ValueObserver()
        let before = object.uuid
        #expect(!sdk.isObserving(object))
        #expect(sdk.addObserver(object) == object.uuid && object.uuid != before)
        #expect(sdk.isObserving(object) && sdk.addObserver(object) == nil)
        let uuid: UUID? = sdk.addObserver(value)
        #expect(uuid != nil && !sdk.isObserving(value))
        value.uuid = uuid ?? value.uuid
        #expect(sdk.isObserving(value) && sdk.addObserver(value) == nil)
        sdk.addObserver(other)
        sdk.removeObserver(other)
        #expect(sdk.isObserving(object) && !sdk.isObserving(other) && sdk.observers.count == 2)
        sdk.removeObserver(object)
        sdk.removeObserver(value)
        #expect(sdk.observers.isEmpty && !sdk.isObserving(object))
    }

    @Test("keeps an error and reports it to all observers once, even if one leaves inside the call")
    func errors() {
        let sdk = ITCB_SDK()
        let (observers, leavers) = ((0..<2).map { _ in ObjectObserver() }, (0..<2).map { _ in Leaver() })
        for (observer, leaver) in zip(observers, leavers) {
            sdk.addObserver(leaver)
            sdk.addObserver(observer)
        }
        #expect(sdk.error == nil)
        for _ in 0..<2 { sdk._sendErrorMessageToAllObservers(error: .unknown(nil)) }
        #expect(observers.map(\.errors) == [2, 2] && leavers.map(\.errors) == [1, 1])
        #expect(sdk.observers.count == 2 && words(sdk.error) == "unknown.nil")
    }

    @Test("notes each state of the adapter")
    func states() throws {
        let testbed = Testbed()
        let central = testbed.central()
        let ball = testbed.ball("Crystal")
        testbed.run(.seconds(1))
        let managers: [(sdk: ITCB_SDK, manager: CBManager)] = [
            (central.sdk, try #require(central.sdk.centralManagerInstance)),
            (ball.sdk, try #require(ball.sdk.peripheralManagerInstance)),
        ]
        let states: [CBManagerState] = [.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn]
        for (sdk, manager) in managers {
            for state in states {
                central.steps = []
                ball.steps = []
                manager.setState(state)
                sdk._note(.stateChanged(manager.state))
                #expect(central.steps + ball.steps == [.stateChanged(state)])
                #expect(sdk.isCoreBluetoothPoweredOn == (state == .poweredOn))
            }
        }
    }

    @Test("makes a central or a ball")
    func modes() throws {
        let testbed = Testbed()
        let adapter = testbed.adapter()
        let central = try #require(adapter.run { ITCB_SDK.createInstance(isCentral: true) })
        let ball = try #require(adapter.run { ITCB_SDK.createInstance(isCentral: false) })
        #expect(central is ITCB_SDK_Central && ball is ITCB_SDK_Peripheral)
        #expect(central.error == nil && central.observers.isEmpty && ball.localName == "ERROR")
        testbed.run(.seconds(1))
        #expect(central.isCoreBluetoothPoweredOn && ball.isCoreBluetoothPoweredOn)
    }
}
