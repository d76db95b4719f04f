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

    @Test("GAP/CONN/DCEP/BV-01-C a single pending connection is initiated directly")
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

    @Test("GAP/CONN/SCEP/BV-01-C several pending connections go through the accept list")
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

    @Test("the accept list changes by what is new and what is stale only")
    func incremental() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        _ = self.steps(&initiator)
        initiator.connect(to: self.third)
        #expect(initiator.next() == .cancel)
        #expect(initiator.completed(.success) == [])
        #expect(initiator.next() == nil, "the event of the cancelled attempt is still to come")
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(self.steps(&initiator) == [.addToAcceptList(self.third), .createFromAcceptList])
    }

    @Test("more devices than the list can hold are rotated")
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

    @Test("devices that all fit into the list have nobody to make way for")
    func nobodyWaits() {
        var initiator = Initiator()
        initiator.acceptListSize = 2
        for address in [self.first, self.second] { initiator.connect(to: address) }
        _ = self.steps(&initiator)
        #expect(!initiator.hasDevicesInWaiting)
        initiator.rotate()
        #expect(initiator.next() == nil && initiator.pending == [self.first, self.second])
        initiator.connect(to: self.third)
        #expect(initiator.hasDevicesInWaiting)
        initiator.rotate()
        #expect(initiator.next() == .cancel)
    }

    @Test("a controller whose list does not work is used one device at a time")
    func brokenList() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        #expect(initiator.next() == .clearAcceptList)
        #expect(initiator.completed(.unknownCommand) == [])
        #expect(initiator.next() == .create(self.first))
    }

    @Test("a refused Create Connection fails its devices, once")
    func refused() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        #expect(initiator.next() == .create(self.first))
        #expect(initiator.completed(.connectionLimitExceeded) == [self.first])
        #expect(initiator.pending == [])
        #expect(initiator.next() == nil)
    }

    @Test("a list that is full can hold as many as it has taken")
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

    @Test("a list that takes no device at all keeps its size, and is tried again with the next device")
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

    @Test("one refused list command does not end the use of the list")
    func refusedOnce() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        #expect(initiator.next() == .clearAcceptList)
        _ = initiator.completed(.commandDisallowed)
        #expect(initiator.next() == .create(self.first))
        _ = initiator.completed(.success)
        initiator.connect(to: self.third)
        #expect(initiator.next() == .cancel)
        _ = initiator.completed(.success)
        _ = initiator.finished(nil, error: .unknownConnectionIdentifier)
        #expect(
            self.steps(&initiator) == [
                .clearAcceptList, .addToAcceptList(self.first), .addToAcceptList(self.second),
                .addToAcceptList(self.third), .createFromAcceptList,
            ]
        )
    }

    @Test("the end of a cancelled attempt that comes too late does not end the attempt that goes on")
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

    @Test("a device is pending once, however often it is asked for")
    func once() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.first)
        #expect(initiator.pending == [self.first])
        let wasPending = initiator.cancel(self.first)
        #expect(wasPending && initiator.pending == [])
    }

    @Test("as many devices as the list holds do not rotate, one more does; a list without a size holds one")
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

    @Test("a list whose commands were refused three times is left alone, and one that was refused twice is not")
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

    @Test("a list that refuses a device for another reason than want of space keeps its size")
    func refusedDevice() {
        var initiator = Initiator()
        initiator.connect(to: self.first)
        initiator.connect(to: self.second)
        #expect(initiator.next() == .clearAcceptList)
        _ = initiator.completed(.success)
        #expect(initiator.next() == .addToAcceptList(self.first))
        _ = initiator.completed(.success)
        #expect(initiator.next() == .addToAcceptList(self.second))
        #expect(initiator.completed(.commandDisallowed) == [])
        #expect(initiator.acceptListSize == 8)
        #expect(initiator.next() == .create(self.first))
    }

    @Test("only the end of a cancelled attempt, and only where one is overdue, is passed over")
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
            #expect(initiator.finished(nil, error: .connectionFailedToBeEstablished) == [self.first])
            #expect(initiator.pending == [] && initiator.isIdle)
        }
        // 0x02 with nothing overdue answers a cancel: the attempt has ended, and the device is still wanted.
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
        // A link is a link.
        initiator = initiating(overdue: true)
        #expect(initiator.finished(self.first, error: .success) == [])
        #expect(initiator.pending == [] && initiator.isIdle)
    }

    @Test("While it is held nothing is initiated; what is, is cancelled and begins again")
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
        #expect(!initiator.isSilent, "the event of the cancelled attempt is still to come")
        #expect(initiator.finished(nil, error: .unknownConnectionIdentifier) == [])
        #expect(initiator.next() == nil)
        #expect(initiator.isSilent)
        initiator.isHeld = false
        #expect(self.steps(&initiator) == [.create(self.first)])
    }

    /// Private addresses of the first device.
    private let heard = [1, 2].map { DeviceAddress(0x4000_0000_0000 | $0, kind: .random) }

    @Test("A device that the controller cannot resolve is heard first, and initiated to under the address that it has")
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

    @Test("A device that was heard and does not answer is heard again; meanwhile others are")
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

    @Test("A device that was heard fails under its own address, and is not initiated to once it was cancelled")
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
