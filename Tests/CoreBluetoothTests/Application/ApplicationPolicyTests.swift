import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The permissions of an app")
struct ApplicationPolicyTests {
    @Test("an app sees the state of an adapter that it may use, and always that there is none")
    func visibleStates() {
        let states: [CBManagerState] = [.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn]
        let nobody: (any ApplicationPolicy)? = nil
        #expect(nobody.permission(for: .central) == .everything && nobody.permission(for: .peripheral) == .everything)
        for state in states { #expect(nobody.visibleState(state) == state) }
        let stub = PolicyStub("App")
        let app: (any ApplicationPolicy)? = stub
        let seen: [(authorization: CBManagerAuthorization, state: (CBManagerState) -> CBManagerState?)] = [
            (.allowedAlways, { $0 }), (.denied, { _ in .unauthorized }), (.restricted, { _ in .unauthorized }),
            (.notDetermined, { _ in nil }),
        ]
        for (authorization, expected) in seen {
            stub.authorization = authorization
            for state in states {
                let isPlain = state == .unknown || state == .unsupported
                #expect(app.visibleState(state) == (isPlain ? state : expected(state)), "\(authorization) \(state)")
            }
        }
    }

    @Test(
        "1.4 both classes give the authorization of the app whose code asks",
        arguments: [CBManagerAuthorization.notDetermined, .restricted, .denied, .allowedAlways]
    )
    func authorization(authorization: CBManagerAuthorization) {
        // Without a manager, and without an app.
        #expect(CBManager.authorization == .allowedAlways)
        let testbed = Testbed()
        let policy = PolicyStub("app")
        policy.authorization = authorization
        let classes: [CBManager.Type] = [CBCentralManager.self, CBPeripheralManager.self]
        let found = policy.make(in: testbed) { classes.map { $0.authorization } }
        #expect(found == [authorization, authorization])
    }
}
