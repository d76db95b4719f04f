import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The security that a description demands")
@MainActor
struct SecurityDescriptionTests {
    private func read(_ json: String) throws -> GATTDescription {
        try GATTDescription(json: Data(json.utf8), from: "t.json")
    }

    @Test("is demanded of all that a characteristic does, or of each alone, and of channels")
    func security() throws {
        let description = try self.read(
            """
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["read"], "security": "authenticated" },
                { "uuid": "FFF2", "properties": ["write"], "security": { "write": "encrypted" } } ] } ],
              "channels": [ {}, { "security": "encrypted" } ] }
            """
        )
        let all = try #require(description.services[0].characteristics?.first?.security)
        #expect(all.read == .authenticated && all.write == .authenticated && all.notify == .authenticated)
        #expect(all.description == nil)
        let one = try #require(description.services[0].characteristics?.last?.security)
        #expect(one.read == nil && one.write == .encrypted)
        #expect(description.channels?.map(\.security) == [nil, .encrypted])
    }

    @Test("is demanded of what a characteristic permits, and of nothing else", arguments: [false, true])
    func demands(isAuthenticated: Bool) throws {
        let level = isAuthenticated ? "authenticated" : "encrypted"
        let all: CBCharacteristicProperties = [.read, .write, .notify, .indicate]
        let (read, write): (CBAttributePermissions, CBAttributePermissions) =
            isAuthenticated
            ? (.readAuthenticationRequired, .writeAuthenticationRequired)
            : (.readEncryptionRequired, .writeEncryptionRequired)
        let subscriptions: CBCharacteristicProperties = isAuthenticated ? .subscriptionAuthenticationRequired : []
        for (key, properties, permissions, moreProperties, morePermissions) in [
            ("read", all, [.readable, .writeable], [], read), ("read", all, .writeable, [], []),
            ("write", all, [.readable, .writeable], [], write), ("write", all, .readable, [], []),
            ("notify", .notify, .readable, subscriptions.union(.notifyEncryptionRequired), []),
            ("notify", .indicate, .readable, subscriptions.union(.indicateEncryptionRequired), []),
            (
                "notify", all, [.readable, .writeable],
                subscriptions.union([.notifyEncryptionRequired, .indicateEncryptionRequired]), []
            ),
            ("notify", .read, .readable, [], []), ("description", all, [.readable, .writeable], [], []),
        ]
            as [(
                String, CBCharacteristicProperties, CBAttributePermissions, CBCharacteristicProperties,
                CBAttributePermissions
            )]
        {
            let text = Data(#"{"\#(key)": "\#(level)"}"#.utf8)
            let security = try JSONDecoder().decode(GATTDescription.Security.self, from: text)
            var (gotProperties, gotPermissions) = (properties, permissions)
            security.add(to: &gotProperties, &gotPermissions)
            #expect(gotProperties == properties.union(moreProperties), "\(key) \(properties)")
            #expect(gotPermissions == permissions.union(morePermissions), "\(key) \(permissions)")
        }
    }

    @Test(
        "is demanded of the user description only if that is said for it",
        arguments: [
            ("", SecurityLevel.none), (#", "security": "authenticated""#, .none), (#", "security": {}"#, .none),
            (#", "security": { "read": "encrypted" }"#, .none),
            (#", "security": { "description": "encrypted" }"#, .encrypted),
            (#", "security": { "description": "authenticated", "read": "encrypted" }"#, .authenticated),
        ] as [(String, SecurityLevel)]
    )
    func userDescription(part: String, level: SecurityLevel) throws {
        let json = """
            { "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["read"], "description": "A text",
                  "format": { "hex": "04002F27010000" }\(part) } ] } ] }
            """
        let session = try AdvertiseSession.described(json)
        let descriptors = try #require(session.attributes.first).characteristic.descriptors ?? []
        let levels = descriptors.map { ($0 as? CBMutableDescriptor)?.requiredLevel }
        #expect(levels == [level, SecurityLevel.none])
    }
}
