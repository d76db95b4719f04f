// Encryption: right keys, wrong keys, no keys, and keys renewed.

import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Encryption")
struct LinkEncryptionTests {
    private static let allSettings = [AirSettings.instant, .realistic, AirSettings(hasAirTime: true, loss: 0.2)]
    private static let key = Octets16(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00)

    private func enable(_ link: TestLink, key: Octets16 = Self.key) {
        link.central.ok(
            LEEnableEncryption(
                handle: link.centralHandle,
                random: 0xABCD,
                encryptedDiversifier: 0x2474,
                longTermKey: key
            )
        )
        link.testbed.pass(.seconds(2))
    }

    /// Vol 6, Part C, 1.
    @Test("the sample data of the specification")
    func vectors() throws {
        let key = SessionKey(
            longTermKey: Octets16(high: 0x4C68_3841_39F5_74D8, low: 0x36BC_F34E_9DFB_01BF),
            central: SessionPart(diversifier: 0xACBD_CEDF_E0F1_0213, vector: 0xBADC_AB24),
            peripheral: SessionPart(diversifier: 0x0213_2435_4657_6879, vector: 0xDEAF_BABE)
        )
        #expect(key.key.description == "99AD1B5226A37E3E058E3B8E27C2C666")
        let first = key.startResponse(fromCentral: true)
        #expect(first.opcode == 0x9F)
        #expect(first.code == 0xCDA7_F448)
        let second = key.startResponse(fromCentral: false)
        #expect(second.opcode == 0xA3)
        #expect(second.code == 0x4C13_A415)
    }

    @Test("the same key at both ends encrypts the link", arguments: allSettings)
    func rightKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        let request = try #require(link.peripheral.take(LELongTermKeyRequest.self))
        #expect(request.handle == link.peripheralHandle)
        #expect(request.random == 0xABCD)
        #expect(request.encryptedDiversifier == 0x2474)
        // Meanwhile data waits.
        link.central.sendData([1], on: link.centralHandle)
        link.peripheral.sendData([2], on: link.peripheralHandle)
        link.testbed.pass(.seconds(1))
        #expect(link.central.data.isEmpty)
        #expect(link.peripheral.data.isEmpty)
        link.central.refused(
            LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key),
            .commandDisallowed
        )
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        link.testbed.pass(.seconds(2))
        #expect(
            link.central.take(EncryptionChange.self)
                == EncryptionChange(handle: link.centralHandle, encryption: .on)
        )
        #expect(
            link.peripheral.take(EncryptionChange.self)
                == EncryptionChange(handle: link.peripheralHandle, encryption: .on)
        )
        #expect(link.central.data.map(\.octets) == [[2]])
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        link.peripheral.refused(
            LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key),
            .commandDisallowed
        )
    }

    @Test("different keys end the link with 0x3D at both ends", arguments: allSettings)
    func wrongKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        _ = try #require(link.peripheral.take(LELongTermKeyRequest.self))
        link.peripheral.ok(
            LELongTermKeyRequestReply(
                handle: link.peripheralHandle,
                longTermKey: Octets16(high: Self.key.high, low: Self.key.low ^ 1)
            )
        )
        link.testbed.pass(.seconds(2))
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
            #expect(host.take(EncryptionChange.self) == nil)
            #expect(
                host.take(DisconnectionComplete.self)
                    == DisconnectionComplete(handle: handle, reason: .connectionTerminatedMICFailure)
            )
        }
    }

    @Test("a host without a key lets the central know with 0x06, and the link goes on", arguments: allSettings)
    func noKey(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        self.enable(link)
        _ = try #require(link.peripheral.take(LELongTermKeyRequest.self))
        link.central.sendData([1], on: link.centralHandle)
        link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
        link.testbed.pass(.seconds(2))
        let event = try #require(link.central.take(EncryptionChange.self))
        #expect(event.status == .pinOrKeyMissing)
        #expect(event.encryption == .off)
        #expect(link.peripheral.take(EncryptionChange.self) == nil)
        #expect(link.peripheral.data.count == 1)
        link.peripheral.sendData([2], on: link.peripheralHandle)
        link.testbed.pass(.seconds(1))
        #expect(link.central.data.count == 1)
    }

    @Test("a host that does not want to be asked has no key")
    func masked() throws {
        let link = try TestLink(AirTestbed())
        link.peripheral.ok(LESetEventMask(mask: LEEventMask([.connectionComplete])))
        self.enable(link)
        #expect(link.central.take(EncryptionChange.self)?.status == .pinOrKeyMissing)
    }

    @Test("a host that never gives its key loses the link after 40 s with 0x22")
    func noAnswer() throws {
        let link = try TestLink(AirTestbed())
        self.enable(link)
        link.testbed.pass(.seconds(37))
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.seconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .linkLayerResponseTimeout)
        link.testbed.pass(.seconds(1))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }

    @Test("only a central begins")
    func peripheralBegins() throws {
        let link = try TestLink(AirTestbed())
        link.peripheral.refused(
            LEEnableEncryption(handle: link.peripheralHandle, longTermKey: Self.key),
            .commandDisallowed
        )
        link.central.refused(
            LELongTermKeyRequestNegativeReply(handle: link.centralHandle),
            .commandDisallowed
        )
    }

    @Test("an encrypted link is encrypted anew with the key refresh event", arguments: allSettings)
    func refresh(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        for round in 0..<3 {
            self.enable(link)
            _ = try #require(link.peripheral.take(LELongTermKeyRequest.self))
            link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
            link.testbed.pass(.seconds(2))
            for host in [link.central, link.peripheral] {
                #expect((host.take(EncryptionChange.self) != nil) == (round == 0))
                #expect((host.take(EncryptionKeyRefreshComplete.self)?.status == .success) == (round > 0))
            }
        }
        // Without a key this time: an encrypted link must not fall back.
        self.enable(link)
        _ = try #require(link.peripheral.take(LELongTermKeyRequest.self))
        link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
        link.testbed.pass(.seconds(2))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .pinOrKeyMissing)
        #expect(link.peripheral.take(DisconnectionComplete.self) != nil)
    }

    @Test("the second version of the event, where it is wanted")
    func secondVersion() throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(SetEventMaskPage2(mask: EventMaskPage2([.encryptionChangeV2])))
        self.enable(link)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        let event = try #require(link.central.take(EncryptionChangeV2.self))
        #expect(event.keySize == 16)
        #expect(event.encryption == .on)
        #expect(link.central.take(EncryptionChange.self) == nil)
        #expect(link.peripheral.take(EncryptionChange.self) != nil)
    }
}
