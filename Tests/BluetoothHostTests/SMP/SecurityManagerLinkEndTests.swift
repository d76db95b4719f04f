// What the end of a link leaves of its encryption: nothing is in use any more, and nothing is on its way.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Security Manager: encryption at the end of a link")
struct SecurityManagerLinkEndTests {
    private static let start = "secure encrypted \n ? encrypt 00112233445566778899AABBCCDDEEFF 0000 0000000000000000"

    private static func script() -> SecurityManagerScript {
        SecurityManagerScript(
            isCentral: true,
            PairingConfiguration(),
            bond: SecurityManagerTests.bond(.encrypted)
        )
    }

    @Test("A link that has ended is not encrypted any more, and keeps its bond")
    func encrypted() {
        var script = Self.script()
        script.run("\(Self.start) \n encrypted \n ? security encrypted 16 bonded")
        #expect(script.manager.security.key != nil)
        script.run("end")
        #expect(script.manager.security == LinkSecurity(key: nil, isBonded: true))
    }

    @Test("A link that has ended while a key was taken into use is on its way to no more security")
    func starting() {
        var script = Self.script()
        script.run(Self.start)
        #expect(script.manager.isSecuring)
        script.run("end")
        #expect(!script.manager.isSecuring && script.manager.encryption.starting == nil)
    }
}
