// Walks of hosts through their commands, on record: what controllers answer and cause in states that single tests do not
// reach. Each walk is about one subject; its seeds and settings are its arguments.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

private let shortTimes: [TimeAmount] = [.zero, .zero, .milliseconds(1), .milliseconds(10), .milliseconds(30)]
private let times: [TimeAmount] = [
    .zero, .zero, .microseconds(3_750), .milliseconds(10), .milliseconds(30), .milliseconds(100), .milliseconds(100),
]

private let allSettings: [AirSettings] = [
    .instant, .realistic, AirSettings(hasAirTime: false, loss: 0.1), AirSettings(hasAirTime: true, loss: 0.15),
]

@Suite("Walks: advertising, scanning, initiating")
struct DiscoveryWalkTests {
    @Test("by the legacy commands", arguments: allSettings, [1, 2] as [UInt64])
    func legacy(settings: AirSettings, seed: UInt64) {
        let walk = Walk(seed: seed, settings: settings)
        walk.run(
            400,
            [
                (8, { $0.advertise($1) }), (6, { $0.scan($1) }), (3, { $0.connect($1) }), (2, { $0.useAcceptList($1) }),
                (1, { $0.setMasks($1) }), (1, { $0.move($1) }), (1, { $0.disturb($1) }), (1, { $0.reset($1) }),
                (1, { $0.controlFlow($1) }), (1, { $0.ask($1) }),
            ],
            times: times
        )
        walk.end()
        walk.expectOrder()
        #expect(walk.eventCounts["LEReports<LEAdvertisingReport>", default: 0] > 10)
    }

    @Test("by the extended commands", arguments: allSettings, [3, 4] as [UInt64])
    func extended(settings: AirSettings, seed: UInt64) {
        let walk = Walk(seed: seed, settings: settings)
        walk.run(
            400,
            [
                (8, { $0.advertiseExtended($1) }), (6, { $0.scanExtended($1) }), (3, { $0.connectExtended($1) }),
                (2, { $0.useAcceptList($1) }), (1, { $0.setMasks($1) }), (1, { $0.move($1) }), (1, { $0.disturb($1) }),
                (1, { $0.reset($1) }), (1, { $0.ask($1) }),
            ],
            times: times
        )
        walk.end()
        walk.expectOrder()
        #expect(walk.eventCounts["LEReports<LEExtendedAdvertisingReport>", default: 0] > 10)
    }

    @Test("with private addresses", arguments: [AirSettings.instant, .realistic], [5, 6, 7] as [UInt64])
    func privacy(settings: AirSettings, seed: UInt64) {
        let walk = Walk(seed: seed, settings: settings)
        let isExtended = seed == 6
        walk.run(
            400,
            [
                (8, { isExtended ? $0.advertiseExtended($1) : $0.advertise($1) }),
                (5, { isExtended ? $0.scanExtended($1) : $0.scan($1) }),
                (4, { isExtended ? $0.connectExtended($1) : $0.connect($1) }),
                (12, { $0.usePrivacy($1) }), (2, { $0.useAcceptList($1) }), (1, { $0.setMasks($1) }),
            ],
            times: times + [.seconds(1)]
        )
        walk.end()
        walk.expectOrder()
    }
}

@Suite("Walks: links")
struct LinkWalkTests {
    @Test("procedures, with data", arguments: allSettings, [1, 2] as [UInt64])
    func procedures(settings: AirSettings, seed: UInt64) {
        let walk = Walk(seed: seed, settings: settings)
        for host in walk.hosts.indices { walk.send(host, LESetEventMask(mask: LEEventMask(rawValue: .max))) }
        walk.run(
            500,
            [
                (2, { $0.makeLink($1) }), (14, { $0.useLink($1) }), (10, { $0.sendData($1) }), (1, { $0.setMasks($1) }),
            ],
            times: times
        )
        walk.end()
        walk.expectOrder()
        #expect(walk.receivedOctets > 1_000)
    }

    @Test("encryption, with packets that are changed on the way", arguments: allSettings, [3, 4] as [UInt64])
    func encryption(settings: AirSettings, seed: UInt64) {
        let walk = Walk(seed: seed, settings: settings, configurations: [.init(), .init(), .served])
        walk.run(
            500,
            [
                (2, { $0.makeLink($1) }), (12, { $0.encrypt($1) }), (6, { $0.sendData($1) }), (6, { $0.useLink($1) }),
                (1, { $0.interfere($1) }), (1, { $0.setMasks($1) }),
            ],
            times: times
        )
        walk.end()
        walk.expectOrder()
        #expect(walk.eventCounts["EncryptionChange", default: 0] > 0)
    }

    @Test("timeouts: peers that are silent, lost, or away", arguments: allSettings, [5, 6] as [UInt64])
    func timeouts(settings: AirSettings, seed: UInt64) {
        let walk = Walk(seed: seed, settings: settings, configurations: [.init(), .init(), .served])
        walk.run(
            250,
            [
                (4, { $0.makeLink($1) }), (4, { $0.encrypt($1) }), (4, { $0.sendData($1) }), (6, { $0.useLink($1) }),
                (4, { $0.move($1) }), (1, { $0.setLoss($1) }), (1, { $0.reset($1) }), (1, { $0.disturb($1) }),
            ],
            times: times + [.milliseconds(100), .milliseconds(720), .seconds(2), .seconds(20)]
        )
        walk.end()
        walk.expectOrder()
        #expect(walk.eventCounts["DisconnectionComplete", default: 0] > 5)
    }

    @Test("data and what hosts can take of it", arguments: allSettings, [7, 8] as [UInt64])
    func flow(settings: AirSettings, seed: UInt64) {
        let walk = Walk(seed: seed, settings: settings)
        for host in walk.hosts.indices {
            walk.send(host, HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: [2, 3, 5, 12][host]))
            walk.send(host, SetControllerToHostFlowControl(mode: .acl))
        }
        for host in walk.hosts.indices { walk.makeLink(host) }
        walk.run(
            500,
            [
                (1, { $0.makeLink($1) }), (16, { $0.sendData($1) }), (10, { $0.controlFlow($1) }),
                (10, { $0.completePackets($1) }), (1, { $0.useLink($1) }),
            ],
            times: shortTimes
        )
        walk.end()
        walk.expectOrder()
        #expect(walk.receivedOctets > 1_000)
    }
}

@Suite("Walks: everything")
struct CompleteWalkTests {
    @Test("all commands on one air", arguments: allSettings, [1, 2] as [UInt64])
    func all(settings: AirSettings, seed: UInt64) {
        let walk = Walk(seed: seed, settings: settings)
        let isExtended = seed == 2
        walk.run(
            500,
            [
                (4, { isExtended ? $0.advertiseExtended($1) : $0.advertise($1) }),
                (3, { isExtended ? $0.scanExtended($1) : $0.scan($1) }),
                (6, { isExtended ? $0.connectExtended($1) : $0.connect($1) }),
                (3, { $0.usePrivacy($1) }), (3, { $0.useAcceptList($1) }), (3, { $0.makeLink($1) }),
                (6, { $0.useLink($1) }), (3, { $0.encrypt($1) }), (6, { $0.sendData($1) }), (2, { $0.controlFlow($1) }),
                (2, { $0.move($1) }), (1, { $0.setLoss($1) }), (1, { $0.disturb($1) }), (1, { $0.setMasks($1) }),
                (1, { $0.reset($1) }), (2, { $0.ask($1) }), (1, { $0.interfere($1) }),
            ],
            times: times
        )
        walk.end()
        walk.expectOrder()
    }
}
