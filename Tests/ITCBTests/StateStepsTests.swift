// Each state of the adapter as a step of the SDK: by its name, and whether the adapter can be used.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("Steps of the adapter's states")
struct StateStepsTests {
    @Test("Each state is noted by its name, and with one alone the adapter can be used")
    func states() throws {
        let testbed = Testbed()
        let central = testbed.central()
        let ball = testbed.ball("Crystal")
        testbed.run(.seconds(1))
        let managers: [(sdk: ITCB_SDK, manager: CBManager)] = [
            (central.sdk, try #require(central.sdk.centralManagerInstance)),
            (ball.sdk, try #require(ball.sdk.peripheralManagerInstance)),
        ]
        let states: [(state: CBManagerState, name: String)] = [
            (.unknown, "unknown"), (.resetting, "resetting"), (.unsupported, "unsupported"),
            (.unauthorized, "unauthorized"), (.poweredOff, "poweredOff"), (.poweredOn, "poweredOn"),
        ]
        for (sdk, manager) in managers {
            for (state, name) in states {
                central.steps = []
                ball.steps = []
                manager.setState(state)
                sdk._noteState(of: manager)
                let isOn = state == .poweredOn
                #expect(central.steps + ball.steps == [.stateChanged(isPoweredOn: isOn, state: name)])
                #expect(sdk.isCoreBluetoothPoweredOn == isOn)
            }
        }
    }

    @Test("Without a manager the adapter cannot be used, and nothing is noted where nobody listens")
    func withoutManager() {
        let sdk = ITCB_SDK()
        #expect(!sdk.isCoreBluetoothPoweredOn && sdk.stepObserver == nil && sdk.userIdleTime == nil)
        sdk._note(.scanning)
        sdk._sendErrorMessageToAllObservers(error: .coreBluetooth(nil))
        #expect(words(sdk.error) == "coreBluetooth.nil")
    }
}
