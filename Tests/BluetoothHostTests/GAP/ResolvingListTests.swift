// The controller's resolving list: the order of commands, and the effects of refusals.

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Resolving list")
struct ResolvingListTests {
    /// Peers are digits, with an `n` for network privacy mode, a `k` for another key, and an `o` if this device has no
    /// privacy.
    private struct Machine: ScriptedMachine {
        private static let timeout = ResolvablePrivateAddressTimeout(rawValue: 900)

        private var machine = ResolvingList()

        init() { self.machine.capacity = 8 }

        mutating func perform(_ event: String, _ arguments: [String]) -> [String]? {
            switch event {
            case "capacity": self.machine.capacity = Int(arguments[0]) ?? 0
            case "modeless": self.machine.knowsPrivacyMode = false
            case "want": self.machine.want(arguments.map(Self.entry), timeout: nil)
            case "timed": self.machine.want(arguments.map(Self.entry), timeout: Self.timeout)
            case "renew": self.machine.renewAddresses()
            // Every step succeeds until none is due.
            case "settle":
                var steps: [String] = []
                while let step = self.next() {
                    steps.append(step)
                    self.machine.completed(.success)
                }
                return steps
            case "ok": self.machine.completed(.success)
            case "refused": self.machine.completed(.commandDisallowed)
            case "full": self.machine.completed(.memoryCapacityExceeded)
            case "unknown": self.machine.completed(.unknownCommand)
            case "missing": self.machine.completed(.unknownConnectionIdentifier)
            case "resolves":
                let peers = ["1", "2", "3"].filter { self.machine.resolves(Self.entry($0).peer) }
                return [(self.machine.isResolving ? "on" : "off") + peers.map { " \($0)" }.joined()]
            case "due": return [self.machine.isDue ? "due" : "done"]
            default: return nil
            }
            return []
        }

        mutating func next() -> String? {
            let isDue = self.machine.isDue
            guard let step = self.machine.next() else { return nil }
            #expect(isDue)
            return switch step {
            case .clear: "clear"
            case .setTimeout(let timeout): "timeout \(timeout.rawValue)"
            case .remove(let peer): "remove \(peer.value & 0xF)"
            case .add(let entry): "add \(Self.name(entry))"
            case .setMode(let peer, let mode): "mode \(peer.value & 0xF)\(mode == .network ? "n" : "")"
            case .enable(let isEnabled): isEnabled ? "enable" : "disable"
            }
        }

        private static func entry(_ name: String) -> ResolvingList.Entry {
            let number = name.first?.wholeNumberValue.map { UInt64($0) } ?? 0
            return ResolvingList.Entry(
                peer: DeviceAddress(0xC000_0000_0000 | number, kind: .random),
                peerKey: Octets16(high: name.contains("k") ? 7 : 1, low: number),
                localKey: name.contains("o") ? .zero : Octets16(high: 2, low: 2),
                mode: name.contains("n") ? .network : .device
            )
        }

        private static func name(_ entry: ResolvingList.Entry) -> String {
            let letters = [
                entry.mode == .network ? "n" : "", entry.peerKey.high == 7 ? "k" : "",
                entry.localKey == .zero ? "o" : "",
            ]
            return "\(entry.peer.value & 0xF)\(letters.joined())"
        }
    }

    private static let scripts = TitledScript.all(
        """
        ## sends nothing if nothing is wanted, or to a controller without a list
        timed ; due                  > done
        capacity 0 ; timed 1 ; due   > done

        ## clears the list, sets the time of addresses, adds the peers with their modes, then enables it
        timed 1 2n ; resolves        > off, clear
        ok                           > timeout 900
        ok                           > add 1
        ok                           > mode 1
        ok                           > add 2n
        ok                           > enable
        ok ; resolves ; due          > on 1 2, done

        ## makes changes one by one, and disables a list without entries
        want 1 2 ; settle            > clear, add 1, mode 1, add 2, mode 2, enable
        want 2 3 ; settle            > remove 1, add 3, mode 3
        want 2k 3n ; settle          > remove 2, add 2k, mode 2, mode 3n
        want ; settle                > remove 3, remove 2, disable
        resolves                     > off

        ## keeps the entries of a full list
        want 1 2 3                   > clear
        ok                           > add 1
        ok                           > mode 1
        ok                           > add 2
        full                         > enable
        ok ; resolves                > on 1

        ## fills a list up to its capacity
        capacity 2 ; want 1 2 3 ; settle ; resolves > clear, add 1, mode 1, add 2, mode 2, enable, on 1 2

        ## does without privacy modes if the controller does not know them
        modeless ; want 1 ; settle   > clear, add 1, enable

        ## does without privacy modes if the controller refuses them
        want 1 2                     > clear
        ok                           > add 1
        ok                           > mode 1
        unknown ; settle             > add 2, enable

        ## tries a refused change three times from the beginning
        want 1                       > clear
        ok                           > add 1
        refused                      > clear
        ok                           > add 1
        refused                      > clear
        ok                           > add 1
        refused ; resolves ; due     > off, done

        ## tries an unknown command once
        want 1                       > clear
        unknown                      >
        want 1 2 ; due               > done

        ## takes an entry for removed that the controller does not have
        want 1 ; settle              > clear, add 1, mode 1, enable
        want                         > remove 1
        missing ; settle             > disable

        ## renews addresses by new entries, if the device hides
        want 1 ; settle              > clear, add 1, mode 1, enable
        renew ; due ; resolves       > due, on, clear
        ok ; settle                  > add 1, mode 1
        want 1o ; settle             > remove 1, add 1o, mode 1
        renew ; due                  > done

        ## has no addresses to renew without entries
        want 1                       > clear
        renew                        >
        ok ; renew                   > add 1

        ## begins a renewal with the answer to the command that is on its way
        want 1 2                     > clear
        ok                           > add 1
        ok                           > mode 1
        renew ; due                  > due
        ok                           > clear
        ok ; settle                  > add 1, mode 1, add 2, mode 2, enable

        ## clears and disables a list in renewal if no entry is wanted
        want 1 ; settle              > clear, add 1, mode 1, enable
        renew ; want ; due ; settle  > due, clear, disable
        resolves ; due               > off, done

        ## does not repeat a refused time of addresses
        timed 1                      > clear
        ok                           > timeout 900
        refused ; settle             > add 1, mode 1, enable
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) { Machine.follow(script) }
}
