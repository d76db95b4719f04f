// Encryption with loss, lost peers, and data and procedures that wait (Vol 6, Part B, 5.1.3).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Interrupted encryption")
struct LinkEncryptionInterruptionsTests {
    private static let key = Octets16(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00)
    private static let allSettings = [AirSettings.instant, .realistic, AirSettings(hasAirTime: true, loss: 0.2)]

    /// The relevant events of a host, in order.
    private final class Log {
        enum Entry: Equatable {
            case data([UInt8])
            case encrypted
            case refreshed
            case lengthChanged
            case disconnected(HCIErrorCode)
        }

        var entries: [Entry] = []

        init(_ host: TestHost, answersKeyRequestWith key: Octets16? = nil) {
            host.onPacket = { [unowned host] packet in
                if let (_, fragment) = try? packet.aclData() {
                    return self.entries.append(.data(Array(fragment.readableBytesView)))
                }
                switch try? HCIEvent(packet) {
                case .encryptionChange: self.entries.append(.encrypted)
                case .encryptionKeyRefreshComplete: self.entries.append(.refreshed)
                case .leDataLengthChange: self.entries.append(.lengthChanged)
                case .disconnectionComplete(let event): self.entries.append(.disconnected(event.reason))
                case .leLongTermKeyRequest(let event):
                    if let key { host.send(LELongTermKeyRequestReply(handle: event.handle, longTermKey: key)) }
                default: break
                }
            }
        }
    }

    @Test(
        "with any loss, no data of the hosts is sent unencrypted once encryption was requested",
        arguments: [0, 0.1, 0.3, 0.5],
        1...8 as ClosedRange<UInt64>
    )
    func order(loss: Double, seed: UInt64) throws {
        let settings = AirSettings(hasAirTime: true, loss: LossProbability(loss))
        let parameters = ConnectionParameters(interval: 24, supervisionTimeout: 3_200)
        let link = try TestLink(AirTestbed(settings, seed: seed), parameters: parameters)
        let (central, peripheral) = (Log(link.central), Log(link.peripheral, answersKeyRequestWith: Self.key))
        for end in [Log.Entry.encrypted, .refreshed] {
            link.enableEncryption(Self.key)
            link.central.sendData([1], on: link.centralHandle)
            link.central.sendData([2], on: link.centralHandle)
            link.testbed.pass(.seconds(20))
            #expect(central.entries == [end])
            #expect(peripheral.entries == [end, .data([1]), .data([2])])
            (central.entries, peripheral.entries) = ([], [])
        }
    }

    @Test("holds back data of the peripheral from the request on", arguments: allSettings)
    func peripheralWaits(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        let (central, peripheral) = (Log(link.central), Log(link.peripheral))
        for end in [Log.Entry.encrypted, .refreshed] {
            link.enableEncryption(Self.key)
            link.testbed.pass(.milliseconds(500))
            link.peripheral.sendData([3], on: link.peripheralHandle)
            link.testbed.pass(.milliseconds(500))
            #expect(central.entries.isEmpty)
            link.giveKey(Self.key)
            link.testbed.pass(.seconds(2))
            #expect(central.entries == [end, .data([3])] || central.entries == [.data([3]), end])
            #expect(peripheral.entries == [end])
            (central.entries, peripheral.entries) = ([], [])
        }
    }

    @Test(
        "ends an encrypted link that finds no key, takes none while it ends, and never sends queued data",
        arguments: allSettings
    )
    func refusedRefresh(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.encrypt()
        let (central, peripheral) = (Log(link.central), Log(link.peripheral))
        link.enableEncryption(Self.key)
        link.testbed.pass(.seconds(1))
        for (host, handle) in link.ends { host.sendData([1], on: handle) }
        link.refuseKey()
        let handle = link.peripheralHandle
        let status: HCIErrorCode = settings.hasAirTime ? .commandDisallowed : .unknownConnectionIdentifier
        link.peripheral.refused(LELongTermKeyRequestReply(handle: handle, longTermKey: Self.key), status)
        link.peripheral.refused(LELongTermKeyRequestNegativeReply(handle: handle), status)
        link.testbed.pass(.seconds(2))
        #expect(central.entries == [.disconnected(.pinOrKeyMissing)])
        #expect(peripheral.entries == [.disconnected(.localHostTerminated)])
    }

    @Test("other procedures wait until encryption has started", arguments: allSettings)
    func otherProcedures(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        let (central, peripheral) = (Log(link.central), Log(link.peripheral))
        link.enableEncryption(Self.key)
        link.testbed.pass(.milliseconds(500))
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 100, transmitTime: 2_120))
        link.testbed.pass(.seconds(1))
        #expect(central.entries.isEmpty)
        link.giveKey(Self.key)
        link.testbed.pass(.seconds(2))
        #expect(central.entries == [.encrypted, .lengthChanged])
        #expect(peripheral.entries == [.encrypted, .lengthChanged])
    }

    /// Cuts every 20 ms, where a connection event is every 30 ms and the procedure takes some six of them.
    @Test("a peer that is lost at any step is missed by supervision", arguments: Array(0..<24), [true, false])
    func lost(step: Int, losesCentral: Bool) throws {
        let link = try TestLink(AirTestbed(.realistic))
        let (central, peripheral) = (Log(link.central), Log(link.peripheral, answersKeyRequestWith: Self.key))
        // The second half of the steps disturbs a refresh.
        if step >= 12 {
            link.enableEncryption(Self.key)
            link.testbed.pass(.seconds(2))
            #expect(central.entries == [.encrypted] && peripheral.entries == [.encrypted])
            (central.entries, peripheral.entries) = ([], [])
        }
        link.enableEncryption(Self.key)
        link.testbed.pass(.milliseconds(Int64(step % 12) * 20))
        link.central.sendData([1], on: link.centralHandle)
        (losesCentral ? link.central : link.peripheral).controller.close()
        link.testbed.pass(.seconds(60))
        let (log, host) = losesCentral ? (peripheral, link.peripheral) : (central, link.central)
        #expect(log.entries.last == .disconnected(.connectionTimeout))
        #expect(log.entries.filter { $0 == .disconnected(.connectionTimeout) }.count == 1)
        #expect(host.controller.linkCount == 0)
        // The controller can have another link.
        #expect(host.run(LERand())?.status == .success)
    }

    @Test("a link that is ended in the middle ends with its reason", arguments: Array(0..<12), [0, 1])
    func ended(step: Int, number: Int) throws {
        let link = try TestLink(AirTestbed(.realistic))
        let logs = [Log(link.central), Log(link.peripheral, answersKeyRequestWith: Self.key)]
        link.enableEncryption(Self.key)
        link.testbed.pass(.milliseconds(Int64(step) * 20))
        let (host, handle) = link.ends[number]
        host.ok(Disconnect(handle: handle, reason: .remoteUserTerminated))
        link.testbed.pass(.seconds(60))
        #expect(logs[number].entries.last == .disconnected(.localHostTerminated))
        #expect(logs[1 - number].entries.last == .disconnected(.remoteUserTerminated))
    }
}
