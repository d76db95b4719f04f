// Controllers without hosts, for the ends of links that a test creates itself.

import BluetoothHCI

@testable import BluetoothAir

/// Two controllers of one air.
struct ControllerPair {
    let testbed = AirTestbed()
    let controllers: [Controller]

    init() {
        let air = self.testbed.air
        self.controllers = [0, 1].map {
            Controller(air: air, index: $0, slot: $0, configuration: VirtualController.Configuration())
        }
    }

    /// The end of a link with a role, at the controller that has the number of the role.
    func end(_ role: ConnectionRole, handle: ConnectionHandle = ConnectionHandle(rawValue: 1)) -> LinkEnd {
        LinkEnd(
            controller: self.controllers[Int(role.rawValue)],
            handle: handle,
            role: role,
            peerAddress: .none
        )
    }

    /// A link between these ends, or new ones.
    func link(_ central: LinkEnd? = nil, _ peripheral: LinkEnd? = nil) -> AirLink {
        AirLink(
            air: self.testbed.air,
            central: central ?? self.end(.central),
            peripheral: peripheral ?? self.end(.peripheral),
            timing: AirLinkTiming(TestHost.parameters),
            channels: .all,
            phy: .le1M,
            anchor: self.testbed.air.now
        )
    }
}
