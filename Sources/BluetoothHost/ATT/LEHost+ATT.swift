// Carries out the actions of the links' ATT bearers, for the client and the server.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension LEHost {
    /// Carries out the actions of a link's bearer, and lets its queue go on.
    func drainBearer(_ link: HostLink) {
        while true {
            while !link.bearerActions.isEmpty {
                // The arrays are swapped, so that new actions wait for their turn and no storage is lost.
                var actions = self.spareBearerActions
                self.spareBearerActions = []
                swap(&actions, &link.bearerActions)
                for index in actions.indices { self.perform(actions[index].take(), of: link) }
                actions.removeAll(keepingCapacity: true)
                self.spareBearerActions = actions
            }
            link.client.proceed(on: &link.bearer, into: &link.bearerActions)
            if link.bearerActions.isEmpty { break }
        }
        if link.bearer.hasBatch { self.openLinks.noteBatch(of: link) }
    }

    /// Sends the notifications that waited for others of this turn.
    func flushBatches() {
        while self.openLinks.haveBatches {
            self.openLinks.takeBatches { link in
                link.bearer.flushBatch(into: &link.bearerActions)
                self.drainBearer(link)
            }
        }
    }

    private func perform(_ action: consuming ATTBearer.Action, of link: HostLink) {
        switch consume action {
        case .send(let pdu, let transmission):
            self.enqueue(
                pdu,
                on: .attributeProtocol,
                of: link,
                tag: transmission.map(FrameTag.transmission) ?? .none
            )
        case .dropped(let transmission), .confirmed(_, let transmission):
            self.openLinks.count(transmission, on: link)
        case .mtuChanged(let mtu):
            self.delegate?.host(self, link: link.id, didChangeMTU: mtu)
        case .failed(let failure):
            self.log.debug("\(link.id): the ATT bearer failed: \(failure)")
            self.openLinks.disconnect(link, reason: .remoteUserTerminated)
        case .begin(let operation):
            let request = operation.step(.turn, mtu: link.bearer.mtu)
            let now = self.eventLoop.now
            link.client.begin(operation, with: request, on: &link.bearer, now: now, into: &link.bearerActions)
        case .report(let operation):
            operation.report()
        case .notification(let handle, let value):
            self.delegate?.host(self, link: link.id, didReceiveValue: value, for: handle)
        case .servicesChanged(let range):
            self.delegate?.host(self, link: link.id, didInvalidateServicesIn: range)
        case .databaseOutOfSync:
            self.delegate?.host(self, didFindDatabaseOutOfSyncOn: link.id)
        case .needsSecurity(let level):
            self.security.secure(link, level)
        case .read(let request):
            self.delegate?.host(self, didReceiveReadRequest: request)
        case .write(let request):
            if request.id == nil, let command = request.parts.first {
                self.delegate?.host(self, link: link.id, didReceiveWriteCommand: command.value, to: command.handle)
            } else {
                self.delegate?.host(self, didReceiveWriteRequest: request)
            }
        case .subscriptionChanged(let handle, let isSubscribed):
            self.delegate?.host(self, link: link.id, didSubscribe: isSubscribed, toCharacteristic: handle)
        case .bondedClientChanged:
            self.security.reportBondedClient(of: link)
        case .signCounterAccepted(let counter):
            self.delegate?.host(self, link: link.id, didAcceptSignCounter: counter)
        }
    }
}
