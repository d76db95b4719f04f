// What users hand over to each other by another way than Bluetooth. Not on record: keys are the system's.

import BluetoothHost
import CoreBluetooth
import Foundation
import Testing

@testable import CoreBluetoothTesting

@Suite("Users who hand data over")
struct OutOfBandUsersTests {
    private static let peer = PairingPeer(identifier: UUID(), name: nil)

    private static func user() -> ScriptedPairingAgent { ScriptedPairingAgent(.none, usesOutOfBandData: true) }

    @Test("A user has handed over and taken nothing at first, and then what was last")
    func handOver() {
        let (lock, phone) = (Self.user(), Self.user())
        for user in [lock, phone] {
            let exchange = user.outOfBandData(for: Self.peer)
            #expect(exchange.local == nil && exchange.peer == nil)
        }
        lock.handOver(to: phone)
        let (given, taken) = (lock.outOfBandData(for: Self.peer), phone.outOfBandData(for: Self.peer))
        #expect(given.local != nil && given.peer == nil && taken.local == nil)
        #expect(taken.peer != nil && taken.peer == given.local?.sharedData)
        // New data takes the place of the old one at both.
        lock.handOver(to: phone)
        let (later, last) = (lock.outOfBandData(for: Self.peer), phone.outOfBandData(for: Self.peer))
        #expect(last.peer != nil && last.peer == later.local?.sharedData && last.peer != taken.peer)
        phone.take(nil)
        #expect(phone.outOfBandData(for: Self.peer).peer == nil)
        #expect(lock.outOfBandData(for: Self.peer).local != nil)
    }

    @Test("Both users may hand over, and each keeps what is its own and what is the other's")
    func both() {
        let (lock, phone) = (Self.user(), Self.user())
        lock.handOver(to: phone)
        phone.handOver(to: lock)
        let (ofLock, ofPhone) = (lock.outOfBandData(for: Self.peer), phone.outOfBandData(for: Self.peer))
        #expect(ofLock.peer == ofPhone.local?.sharedData && ofPhone.peer == ofLock.local?.sharedData)
        #expect(ofLock.peer != ofPhone.peer)
    }

    @Test("What is handed over is for LE Secure Connections unless legacy pairing is asked for")
    func kinds() {
        let (lock, phone) = (Self.user(), Self.user())
        lock.handOver(to: phone)
        var data = lock.outOfBandData(for: Self.peer).data(asCentral: true)
        #expect(data.local != nil && data.temporaryKey == nil)
        lock.handOver(.legacy, to: phone)
        data = lock.outOfBandData(for: Self.peer).data(asCentral: true)
        #expect(data.local == nil && data.temporaryKey != nil)
    }

    @Test("A user who uses no such data says so, and one is like that unless told otherwise")
    func uses() {
        #expect(Self.user().usesOutOfBandData && !ScriptedPairingAgent(.display).usesOutOfBandData)
        #expect(ScriptedPairingAgent(.display).capabilities == .display)
    }
}
