// Pending connections: one initiation at a time, any number of pending connections.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Initiator")
struct InitiatorTests {
    private static func address(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(0xC000_0000_0000 | number, kind: .random)
    }

    let first = Self.address(1)
    let second = Self.address(2)
    let third = Self.address(3)

    @Test("GAP/CONN/DCEP/BV-01-C initiates a single pending connection directly")
    func direct() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        #expect(initiator.next() == .create(self.first))
        #expect(initiator.next() == nil)
        #expect(initiator.completed(.success) == [])
        #expect(initiator.finished(self.first, error: .success) == [])
        #expect(initiator.next() == nil)
        #expect(initiator.pending == [])
    }

    @Test("tries a connection that failed to be established again, three times in a row")
    func failedToBeEstablished() {
        var initiator = Initiator()
        for _ in 0..<2 {
            initiator.connect(to: self.first)
            for _ in 0..<3 {
                #expect(self.steps(&initiator) == [.create(self.first)])
                #expect(initiator.finished(nil, error: .connectionFailedToBeEstablished) == [])
                #expect(initiator.pending == [self.first])
            }
            #expect(self.steps(&initiator) == [.create(self.first)])
            #expect(initiator.finished(nil, error: .connectionFailedToBeEstablished) == [self.first])
            #expect(initiator.pending == [] && initiator.next() == nil)
        }
    }

    @Test("GAP/CONN/SCEP/BV-01-C initiates several pending connections by the accept list")
    func acceptList() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        #expect(
            self.steps(&initiator) == [
                .clearAcceptList, .addToAcceptList(self.first), .addToAcceptList(self.second), .createFromAcceptList,
            ]
        )
        #expect(initiator.finished(self.second, error: .success) == [])
        #expect(self.steps(&initiator) == [.create(self.first)])
    }

    @Test("changes only the new and stale entries of the accept list")
    func incremental() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        _ = self.steps(&initiator)
        initiator.connect(to: self.third)
        #expect(initiator.next() == .cancel)
        #expect(initiator.completed(.success) == [])
        #expect(initiator.next() == nil, "the event of the cancelled attempt is awaited")
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(self.steps(&initiator) == [.addToAcceptList(self.third), .createFromAcceptList])
    }

    @Test("reuses the place of a connected device in a full list")
    func fullList() {
        var initiator = Initiator()
        initiator.acceptListSize = 2
        for address in [self.first, self.second, self.third] { initiator.connect(to: address) }
        #expect(
            self.steps(&initiator) == [
                .clearAcceptList, .addToAcceptList(self.first), .addToAcceptList(self.second), .createFromAcceptList,
            ]
        )
        _ = initiator.finished(self.first, error: .success)
        #expect(
            self.steps(&initiator) == [
                .removeFromAcceptList(self.first), .addToAcceptList(self.third), .createFromAcceptList,
            ]
        )
    }

    @Test("initiates to one device at a time if the list does not work")
    func brokenList() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        #expect(initiator.next() == .clearAcceptList)
        #expect(initiator.completed(.unknownCommand) == [])
        #expect(initiator.next() == .create(self.first))
    }

    @Test("fails the devices of a refused attempt once")
    func refused() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        #expect(initiator.next() == .create(self.first))
        #expect(initiator.completed(.connectionLimitExceeded) == [self.first])
        #expect(initiator.pending == [])
        #expect(initiator.next() == nil)
    }

    @Test("takes the size of the list from the first refusal for lack of space")
    func smallList() {
        var initiator = Initiator()
        for address in [self.first, self.second, self.third] { initiator.connect(to: address) }
        #expect(initiator.next() == .clearAcceptList)
        _ = initiator.completed(.success)
        _ = initiator.next()
        _ = initiator.completed(.success)
        _ = initiator.next()
        _ = initiator.completed(.success)
        #expect(initiator.next() == .addToAcceptList(self.third))
        #expect(initiator.completed(.memoryCapacityExceeded) == [])
        #expect(initiator.acceptListSize == 2)
        #expect(initiator.next() == .createFromAcceptList)
    }

    @Test("tries a list that accepts no device again with the next device")
    func listWithoutPlace() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        #expect(initiator.next() == .clearAcceptList)
        _ = initiator.completed(.success)
        #expect(initiator.next() == .addToAcceptList(self.first))
        #expect(initiator.completed(.memoryCapacityExceeded) == [])
        #expect(initiator.acceptListSize == 8)
        #expect(initiator.next() == .create(self.first))
        _ = initiator.completed(.success)
        initiator.connect(to: self.third)
        #expect(initiator.next() == .cancel)
        _ = initiator.completed(.success)
        _ = initiator.finished(nil, error: .unknownConnectionIdentifier)
        #expect(initiator.next() == .clearAcceptList)
    }

    @Test("ignores the late end of a cancelled attempt during the next one")
    func lateCancelEvent() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        #expect(self.steps(&initiator) == [.create(self.first)])
        _ = initiator.cancel(self.first)
        initiator.connect(to: self.second)
        #expect(initiator.next() == .cancel)
        _ = initiator.completed(.success)
        initiator.cancellingTimedOut()
        #expect(self.steps(&initiator) == [.create(self.second)])
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(initiator.next() == nil, "the attempt goes on")
        #expect(initiator.finished(self.second, error: .success) == [])
        #expect(initiator.pending == [])
    }

    @Test("rotates devices only beyond the size of the list, which is at least one")
    func rotation() {
        for (size, capacity) in [(0, 1), (1, 1), (2, 2)] {
            var initiator = Initiator()
            initiator.acceptListSize = size
            let devices = (1...UInt64(capacity + 1)).map(Self.address)
            for device in devices.dropLast() { initiator.connect(to: device) }
            #expect(!initiator.hasDevicesInWaiting)
            initiator.rotate()
            #expect(initiator.pending == Array(devices.dropLast()))
            initiator.connect(to: devices[capacity])
            #expect(initiator.hasDevicesInWaiting)
            initiator.rotate()
            #expect(initiator.pending == [devices[capacity]] + devices[..<capacity])
        }
    }

    @Test("gives up a list whose commands were refused three times")
    func refusedRepeatedly() {
        for refusals in 1...4 {
            var initiator = Initiator()
            initiator.connect(to: Self.address(100))
            for number in 1...UInt64(refusals) {
                initiator.connect(to: Self.address(number))
                #expect(initiator.next() == .clearAcceptList, "\(number)")
                _ = initiator.completed(.commandDisallowed)
                #expect(initiator.next() == .create(Self.address(100)), "one at a time")
                guard number < min(refusals, 3) else { break }
                _ = initiator.completed(.success)
                initiator.connect(to: Self.address(number + 1))
                #expect(initiator.next() == .cancel)
                _ = initiator.completed(.success)
                _ = initiator.finished(nil, error: .unknownConnectionIdentifier)
            }
            _ = initiator.completed(.success)
            initiator.connect(to: Self.address(200))
            #expect(initiator.next() == (refusals < 3 ? .cancel : nil), "\(refusals)")
        }
    }

    @Test("ignores the end of a cancelled attempt only if one is overdue")
    func overdueEvents() {
        func initiating(overdue: Bool) -> Initiator {
            var initiator = Initiator()
            initiator.connect(to: self.first)
            _ = self.steps(&initiator)
            guard overdue else { return initiator }
            _ = initiator.cancel(self.first)
            #expect(initiator.next() == .cancel)
            _ = initiator.completed(.success)
            initiator.cancellingTimedOut()
            initiator.connect(to: self.first)
            _ = self.steps(&initiator)
            return initiator
        }
        // Another error fails the attempt, overdue event or not.
        for overdue in [false, true] {
            var initiator = initiating(overdue: overdue)
            #expect(initiator.finished(nil, error: .unspecifiedError) == [self.first])
            #expect(initiator.pending == [] && initiator.isIdle)
        }
        // 0x02 without an overdue event answers a cancel: the attempt has ended, and the device is still wanted.
        var initiator = initiating(overdue: false)
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(initiator.pending == [self.first])
        #expect(initiator.next() == .create(self.first))
        // The overdue event comes once.
        initiator = initiating(overdue: true)
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(initiator.next() == nil, "the attempt goes on")
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(initiator.next() == .create(self.first))
        // A link counts in any case.
        initiator = initiating(overdue: true)
        #expect(initiator.finished(self.first, error: .success) == [])
        #expect(initiator.pending == [] && initiator.isIdle)
    }

    @Test("initiates nothing while it is held, and starts again afterwards")
    func held() {
        var initiator = Initiator()
        initiator.isHeld = true
        initiator.connect(to: self.first)
        #expect(initiator.next() == nil)
        #expect(initiator.isSilent)
        initiator.isHeld = false
        #expect(self.steps(&initiator) == [.create(self.first)])
        #expect(!initiator.isSilent)
        initiator.isHeld = true
        #expect(initiator.next() == .cancel)
        _ = initiator.completed(.success)
        #expect(!initiator.isSilent, "the event of the cancelled attempt is awaited")
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(initiator.next() == nil)
        #expect(initiator.isSilent)
        initiator.isHeld = false
        #expect(self.steps(&initiator) == [.create(self.first)])
    }

    /// Private addresses of the first device.
    private let heard = [1, 2].map { DeviceAddress(0x4000_0000_0000 | $0, kind: .random) }

    @Test("waits until it hears a device that the controller cannot resolve, and uses its current address")
    func hearsFirst() {
        var initiator = Initiator()
        initiator.unresolvable = [self.first]
        initiator.connect(to: self.first)
        #expect(initiator.next() == nil)
        #expect(initiator.needsScan)
        #expect(initiator.heard(self.second, at: self.second) == false, "nobody wants it")
        #expect(initiator.heard(self.first, at: self.heard[0]) == true)
        #expect(!initiator.needsScan)
        #expect(initiator.heard(self.first, at: self.heard[1]) == false, "one after the other")
        #expect(self.steps(&initiator) == [.create(self.heard[0])])
        #expect(initiator.device(at: self.heard[0]) == self.first)
        #expect(initiator.finished(self.first, error: .success) == [])
        #expect(initiator.pending == [] && !initiator.needsScan)
    }

    @Test("waits again for a heard device that does not answer, after others")
    func heardAndGone() {
        var initiator = Initiator()
        initiator.unresolvable = [self.first]
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        #expect(initiator.heard(self.first, at: self.heard[0]) == true)
        #expect(self.steps(&initiator) == [.create(self.heard[0])])
        initiator.forgetHeard()
        #expect(initiator.next() == .cancel)
        _ = initiator.completed(.success)
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(initiator.next() == nil)
        #expect(initiator.needsScan)
        #expect(initiator.heard(self.second, at: self.second) == true)
        #expect(self.steps(&initiator) == [.create(self.second)])
        #expect(initiator.finished(self.second, error: .success) == [])
        #expect(initiator.needsScan && initiator.pending == [self.first])
        initiator.unresolvable = []
        #expect(!initiator.needsScan)
        #expect(self.steps(&initiator) == [.create(self.first)], "the controller resolves it now")
    }

    @Test("fails a heard device by its identity, and cancels its attempt")
    func heardAndFailed() {
        var initiator = Initiator()
        initiator.unresolvable = [self.first]
        initiator.connect(to: self.first)
        #expect(initiator.heard(self.first, at: self.heard[0]) == true)
        #expect(initiator.next() == .create(self.heard[0]))
        #expect(initiator.completed(.connectionAlreadyExists) == [self.first])
        #expect(initiator.pending == [])
        initiator.connect(to: self.first)
        #expect(initiator.heard(self.first, at: self.heard[1]) == true)
        #expect(self.steps(&initiator) == [.create(self.heard[1])])
        #expect(initiator.cancel(self.first) == true)
        #expect(initiator.next() == .cancel)
    }

    @Test("accepts a link that was opened while the cancel was pending")
    func cancelCrossesConnection() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        #expect(self.steps(&initiator) == [.create(self.first)])
        let wasPending = initiator.cancel(self.first)
        #expect(wasPending)
        #expect(initiator.next() == .cancel)
        #expect(initiator.completed(.commandDisallowed) == [])
        #expect(initiator.finished(self.first, error: .success) == [])
        #expect(initiator.next() == nil)
    }

    @Test(
        "does not take a late answer to a cancel for the answer to the next command",
        arguments: [.commandDisallowed, .success] as [HCIErrorCode]
    )
    func lateAnswer(status: HCIErrorCode) {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        _ = self.steps(&initiator)
        initiator.connect(to: self.third)
        #expect(initiator.next() == .cancel)
        #expect(initiator.finished(self.second, error: .success) == [])
        #expect(initiator.next() == nil, "the answer to the cancel is awaited")
        #expect(!initiator.isIdle && initiator.isSilent && !initiator.awaitsEnd)
        #expect(initiator.completed(status) == [])
        // The list still counts as working.
        #expect(
            self.steps(&initiator) == [
                .removeFromAcceptList(self.second), .addToAcceptList(self.third), .createFromAcceptList,
            ]
        )
    }

    @Test("waits for the end of a cancelled attempt only if the cancel was accepted")
    func awaitedEnd() {
        for status in [.success, .commandDisallowed] as [HCIErrorCode] {
            var initiator = Initiator()
            initiator.connect(to: self.first)
            _ = self.steps(&initiator)
            _ = initiator.cancel(self.first)
            #expect(initiator.next() == .cancel)
            _ = initiator.completed(status)
            #expect(initiator.awaitsEnd == (status == .success))
        }
    }

    /// Answers every step with success until none is due.
    func steps(_ initiator: inout Initiator) -> [Initiator.Step] {
        var steps: [Initiator.Step] = []
        while let step = initiator.next() {
            steps.append(step)
            #expect(initiator.completed(.success) == [])
        }
        return steps
    }
}
