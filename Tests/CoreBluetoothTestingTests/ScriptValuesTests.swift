// Scripts, users of devices and recorders as values: what the GATT server is given, how a device pairs, what a user
// answers, and what small conversions give, each at its edge.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Scripts as values")
struct ScriptValuesTests {
    private typealias Security = ScriptedPeripheral.Security
    private typealias Characteristic = ScriptedPeripheral.Characteristic
    private typealias Descriptor = ScriptedPeripheral.Descriptor

    private static func definition(_ characteristic: Characteristic) throws -> GATTCharacteristicDefinition {
        let service = ScriptedPeripheral.Service("FFF0", characteristics: [characteristic])
        return try #require(service.definition(including: [:]).characteristics.first)
    }

    @Test("Each use of a characteristic demands its own security, or that of the characteristic")
    func permissions() throws {
        let levels: [(Security, SecurityLevel)] = [
            (.none, .none), (.encrypted, .encrypted), (.authenticated, .authenticated),
        ]
        let properties: [CBCharacteristicProperties] = [
            .read, .write, .writeWithoutResponse, [.read, .write], .notify, [],
        ]
        for (security, level) in levels {
            for (own, ownLevel) in levels {
                for property in properties {
                    func found(_ change: (inout Characteristic) -> Void) throws -> [SecurityLevel?] {
                        var characteristic = Characteristic("FFF1", properties: property, security: security)
                        change(&characteristic)
                        let definition = try Self.definition(characteristic)
                        return [
                            definition.permissions.read?.level, definition.permissions.write?.level,
                            definition.subscriptionSecurity.level,
                        ]
                    }
                    let expected = {
                        (read: SecurityLevel, write: SecurityLevel, other: SecurityLevel) -> [SecurityLevel?] in
                        let isWritable = !property.isDisjoint(with: [.write, .writeWithoutResponse])
                        return [property.contains(.read) ? read : nil, isWritable ? write : nil, other]
                    }
                    let text = "\(property.rawValue) \(security) \(own)"
                    #expect(try found { _ in } == expected(level, level, level), "\(text)")
                    #expect(try found { $0.readSecurity = own } == expected(ownLevel, level, level), "\(text)")
                    #expect(try found { $0.writeSecurity = own } == expected(level, ownLevel, level), "\(text)")
                    #expect(try found { $0.subscriptionSecurity = own } == expected(level, level, ownLevel), "\(text)")
                }
            }
        }
    }

    @Test("The GATT server gets what the script says of a characteristic and its descriptors")
    func definitions() throws {
        let definition = try Self.definition(
            Characteristic(
                "FFF1",
                properties: CBCharacteristicProperties(rawValue: 0x312),
                value: Data([1]),
                userDescription: "Tür",
                descriptors: [
                    .init("FFD1", value: Data([7]), isWritable: true, security: .encrypted),
                    .init("FFD2", value: Data(), security: .authenticated),
                ],
                hasClientConfiguration: false
            )
        )
        #expect(definition.uuid == 0xFFF1 && definition.properties.rawValue == 0x12 && definition.value == nil)
        #expect(!definition.hasClientConfiguration && definition.descriptors.map(\.uuid) == [0x2901, 0xFFD1, 0xFFD2])
        let values = [ByteBuffer(string: "Tür"), ByteBuffer(bytes: [7]), ByteBuffer()]
        #expect(definition.descriptors.map(\.value) == values)
        #expect(definition.descriptors.map(\.isDynamic) == [false, true, true])
        let reads: [SecurityLevel?] = definition.descriptors.map { $0.permissions.read?.level }
        let writes: [SecurityLevel?] = definition.descriptors.map { $0.permissions.write?.level }
        #expect(reads == [SecurityLevel.none, .encrypted, .authenticated] && writes == [nil, .encrypted, nil])
        let plain = try Self.definition(Characteristic("FFF1", properties: .read))
        #expect(plain.descriptors.isEmpty && plain.hasClientConfiguration)
    }

    @Test("A service includes those that are there, and has the kind and the handle that the script says")
    func services() {
        let uuids = ["FFF1", "FFF2", "FFF3"].map { CBUUID(string: $0) }
        for isPrimary in [false, true] {
            let service = ScriptedPeripheral.Service(
                "FFF0",
                isPrimary: isPrimary,
                characteristics: [],
                includes: uuids,
                handle: isPrimary ? 40 : nil
            )
            let definition = service.definition(including: [uuids[0]: 7, uuids[2]: 3])
            #expect(definition.uuid == 0xFFF0 && definition.isPrimary == isPrimary)
            #expect(definition.includedServices == [7, 3] && definition.handle == (isPrimary ? 40 : nil))
        }
        let service = ScriptedPeripheral.Service("FFF0", characteristics: [])
        #expect(service.isPrimary && service.includes.isEmpty && service.handle == nil)
    }

    @Test("A characteristic that sends to all needs no subscription, nor does one that sends and cannot have any")
    func needsNoSubscription() {
        for (properties, has, sendsToAll, needsNone) in [
            (.notify, true, false, false), (.notify, true, true, true), (.notify, false, false, true),
            (.indicate, false, false, true), (.read, false, false, false), (.read, false, true, true),
            ([.read, .notify], false, false, true),
        ] as [(CBCharacteristicProperties, Bool, Bool, Bool)] {
            let characteristic = Characteristic(
                "FFF1",
                properties: properties,
                hasClientConfiguration: has,
                sendsToAll: sendsToAll
            )
            #expect(characteristic.needsNoSubscription == needsNone, "\(properties.rawValue) \(has) \(sendsToAll)")
        }
    }

    @Test("What is not said of a script is what most devices have")
    func defaults() {
        let script = ScriptedPeripheral()
        #expect(script.name == nil && script.services.isEmpty && script.mtu == 247 && !script.refusesConnections)
        #expect(script.faults.isEmpty && script.pairingAgent == nil && script.genericAttribute == .databaseHash)
        #expect(script.channels.isEmpty && script.latency == .zero && script.writeBuffer == nil && !script.pairs)
        #expect(script.unseen.isEmpty && script.recordedAdvertisement == nil)
        let advertisement = script.advertisement
        #expect(advertisement.services == nil && advertisement.manufacturerData == nil)
        #expect(advertisement.serviceData.isEmpty && advertisement.isConnectable)
        #expect(advertisement.interval == .milliseconds(100))
        let characteristic = Characteristic("FFF1", properties: .read)
        #expect(characteristic.value.isEmpty && characteristic.userDescription == nil && characteristic.updates == nil)
        #expect(characteristic.onRead == nil && characteristic.onWrite == nil && characteristic.recording == nil)
        #expect(characteristic.security == .none && !characteristic.demandsSecurity && !characteristic.sendsToAll)
        let answers: [ScriptedPeripheral.Answer] = [.success, .value(Data()), .error(.readNotPermitted), .noResponse]
        #expect(answers.allSatisfy { $0.delay == .zero } && answers[0].delayed(by: .seconds(2)).delay == .seconds(2))
    }

    @Test("Descriptors that centrals may write can be written, and others cannot")
    func descriptors() {
        let all: [(Descriptor, String, Bool)] = [
            (.writableDescription("é"), "2901", true), (.serverConfiguration(isBroadcast: true), "2903", true),
            (.presentationFormat(1, unit: 2), "2904", false), (.validRange(Data(), Data()), "2906", false),
            (.init("FFD1", value: Data()), "FFD1", false),
        ]
        for (descriptor, uuid, isWritable) in all {
            #expect(descriptor.uuid == CBUUID(string: uuid) && descriptor.isWritable == isWritable, "\(uuid)")
            #expect(descriptor.security == .none && !descriptor.isUnseen)
        }
        #expect(all[0].0.value == Data([0xC3, 0xA9]))
    }

    @Test("A device pairs where any use of a value or a descriptor demands security")
    func demands() {
        let levels: [Security] = [.none, .encrypted, .authenticated]
        for level in levels {
            let all: [Characteristic] = [
                Characteristic("FFF1", properties: .read, security: level),
                Characteristic("FFF1", properties: .read, readSecurity: level),
                Characteristic("FFF1", properties: .write, writeSecurity: level),
                Characteristic("FFF1", properties: .notify, subscriptionSecurity: level),
                Characteristic(
                    "FFF1",
                    properties: .read,
                    descriptors: [.init("FFD1", value: Data()), .init("FFD2", value: Data(), security: level)]
                ),
            ]
            for (number, characteristic) in all.enumerated() {
                let script = ScriptedPeripheral(services: [
                    .init("FFF0", characteristics: []), .init("FFF2", characteristics: [characteristic]),
                ])
                #expect(script.pairs == (level != .none), "\(number) \(level)")
                #expect(script.pairing.isPairingAllowed == script.pairs)
            }
        }
    }

    @Test("A device pairs with what its user sees and does, and asks for protection where the user can give it")
    func pairing() {
        let none = ScriptedPeripheral().pairing
        #expect(!none.isPairingAllowed && none.ioCapability == .noInputNoOutput && !none.prefersMITMProtection)
        for (capabilities, usesData, expected, prefers) in [
            (.none, false, .noInputNoOutput, false), (.none, true, .noInputNoOutput, true),
            (.display, false, .displayOnly, true), (.displayAndConfirm, false, .displayYesNo, true),
            (.keyboard, false, .keyboardOnly, true), (.keyboardAndDisplay, true, .keyboardDisplay, true),
        ] as [(PairingCapabilities, Bool, IOCapability, Bool)] {
            let agent = ScriptedPairingAgent(capabilities, usesOutOfBandData: usesData)
            let pairing = ScriptedPeripheral(pairingAgent: agent).pairing
            #expect(pairing.isPairingAllowed && pairing.ioCapability == expected, "\(capabilities)")
            #expect(pairing.prefersMITMProtection == prefers, "\(capabilities) \(usesData)")
        }
        let levels: [Security] = [.none, .encrypted, .authenticated]
        #expect(levels.map(\.level) == [.none, .encrypted, .authenticated])
    }

    @Test("The Generic Attribute service of a script is that of the host, and of a capture")
    func genericAttribute() {
        let all: [(ScriptedPeripheral.GenericAttribute, GenericAttributeService)] = [
            (.absent, .absent), (.empty, .empty), (.serviceChanged, .serviceChanged), (.databaseHash, .full),
        ]
        for (script, host) in all {
            #expect(script.content == host && ScriptedPeripheral.GenericAttribute(host) == script)
        }
    }

    // MARK: Users

    /// What a user answers to a question.
    private static func answers(_ user: ScriptedPairingAgent, _ question: PairingQuestion) -> [PairingAnswer] {
        let answers = Watched<[PairingAnswer]>([])
        let peer = PairingPeer(identifier: UUID(), name: nil)
        user.pairing(PairingPrompt(question, of: peer) { answer in answers.update { $0.append(answer) } })
        return answers.value
    }

    @Test("A user enters the code that is shown, or another one, or none; the last of these again and again")
    func entries() throws {
        let display = ScriptedPairingAgent(.display)
        let user = ScriptedPairingAgent(entering: [.wrong, .right, .wrong, .right, .nothing], shownBy: display)
        #expect(user.capabilities == .keyboard && !user.usesOutOfBandData && display.code == nil)
        var entered: [PairingAnswer] = []
        for number in [0, 0, 123_456, 123_456, 7, 7] as [UInt32] {
            let code = try #require(Passkey(number))
            #expect(Self.answers(display, .displayPasskey(code)) == [])
            entered += Self.answers(user, .enterPasskey)
        }
        let expected: [PairingAnswer] = [
            .passkey(Passkey(1)), .passkey(Passkey(0)), .passkey(Passkey(0)), .passkey(Passkey(123_456)),
            .passkey(nil), .passkey(nil),
        ]
        #expect(entered == expected)
        #expect(display.code == "000007" && display.prompts.first == .showCode("000000"))
        #expect(user.prompts == Array(repeating: .enterCode, count: 6) && user.outcomes.isEmpty)
        #expect(Self.answers(ScriptedPairingAgent(entering: [], shownBy: display), .enterPasskey) == [.passkey(nil)])
    }

    @Test("A user consents unless told otherwise, enters nothing unless told what, and is told how a pairing ended")
    func users() throws {
        let code = try #require(Passkey(99))
        let plain = ScriptedPairingAgent(.displayAndConfirm)
        #expect(Self.answers(plain, .compareNumbers(code)) == [.numbersMatch(true)])
        #expect(Self.answers(plain, .enterPasskey) == [.passkey(nil)] && plain.code == nil)
        #expect(plain.prompts == [.compareCode("000099"), .enterCode])
        let refuses = ScriptedPairingAgent(.displayAndConfirm, confirms: { _ in false })
        #expect(Self.answers(refuses, .compareNumbers(code)) == [.numbersMatch(false)])
        let idle = ScriptedPairingAgent(.keyboard, entersCode: { _ in "000099" }, confirms: { _ in nil })
        #expect(Self.answers(idle, .compareNumbers(code)) == [] && idle.prompts.count == 1)
        #expect(Self.answers(idle, .enterPasskey) == [.passkey(code)])
        let peer = PairingPeer(identifier: UUID(), name: nil)
        idle.pairingEnded(with: peer, .failed("no"))
        idle.pairingEnded(with: peer, .paired)
        #expect(idle.outcomes == [.failed("no"), .paired])
    }
}
