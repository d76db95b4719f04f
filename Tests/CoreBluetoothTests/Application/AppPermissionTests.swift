// What an app may do and see, by its authorization and its permission: each of them, and for an app that nobody decides
// for.

import BluetoothHost
import BluetoothTypes
import Dispatch
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("What an app may do and see")
struct AppPermissionTests {
    private static let states: [CBManagerState] = [
        .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn,
    ]

    @Test("an app sees the state of the adapter that it is allowed to use, and that there is none in any case")
    func visibleStates() {
        let nobody: (any ApplicationPolicy)? = nil
        for state in Self.states { #expect(nobody.visibleState(state) == state) }
        let stub = PolicyStub("App")
        let app: (any ApplicationPolicy)? = stub
        let seen: [(authorization: CBManagerAuthorization, state: (CBManagerState) -> CBManagerState?)] = [
            (.allowedAlways, { $0 }), (.denied, { _ in .unauthorized }), (.restricted, { _ in .unauthorized }),
            (.notDetermined, { _ in nil }),
        ]
        for (authorization, expected) in seen {
            stub.authorization = authorization
            for state in Self.states {
                let isPlain = state == .unknown || state == .unsupported
                #expect(app.visibleState(state) == (isPlain ? state : expected(state)), "\(authorization) \(state)")
            }
        }
    }

    @Test("an app that nobody decides for may do everything; another one what is decided")
    func permissions() {
        let nobody: (any ApplicationPolicy)? = nil
        #expect(nobody.permission(for: .central) == .everything)
        #expect(nobody.permission(for: .peripheral) == .everything)
        for permission in [ManagerPermission.everything, .background, .nothing] {
            let app: (any ApplicationPolicy)? = PolicyStub("App", permission: permission)
            #expect(app.permission(for: .central) == permission && app.permission(for: .peripheral) == permission)
        }
    }

    @Test("in the background services are in the overflow area alone, without a name, and at a longer interval")
    func backgroundAdvertising() {
        let content = AdvertisedContent(localName: "Crystal", services: [0x180D], manufacturerData: [1, 2, 3])
        #expect(content.under(.everything) == content && content.under(.nothing) == nil)
        #expect(content.under(.background) == AdvertisedContent(overflowServices: [0x180D]))
        #expect(AdvertisedContent.interval == .milliseconds(100))
        #expect(AdvertisedContent.backgroundInterval == .nanoseconds(1_022_500_000))
    }

    @Test("the scan of the background has a tenth of the time")
    func backgroundScan() {
        let (foreground, background) = (ScanPace.foreground.request, ScanPace.background.request)
        #expect(foreground == ScanParameters())
        #expect(background == ScanParameters(interval: .milliseconds(300), window: .milliseconds(30)))
        #expect(foreground != background)
    }

    @Test("each alert is asked for by itself")
    func alerts() {
        let all: [ConnectAlerts] = [.connection, .disconnection, .notification]
        for (index, alert) in all.enumerated() {
            for (other, another) in all.enumerated() { #expect(alert.contains(another) == (index == other)) }
        }
        #expect(ConnectAlerts(all).rawValue == 7)
    }

    @Test("the main queue is the main queue, and no other is")
    func mainQueue() {
        #expect(DispatchQueue.main.isMain && !DispatchQueue(label: "other").isMain && !DispatchQueue.global().isMain)
    }
}
