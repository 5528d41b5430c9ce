// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/pool.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "gpu/executor/worker_thread.hpp"

namespace gauntlet::cuda {

void JobGroup::add(const Job& job, bool careful) {
  put_job(bytes_, job);
  entries_.push_back({bytes_.size(), job.bytes(), careful});
}

Group::Group(JobGroup given)
    : jobs(std::move(given)), items(jobs.size()), answers(jobs.size()), left(jobs.size()) {
  const std::span<const std::byte> bytes(jobs.bytes_);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const JobGroup::Entry& entry = jobs.entries_[i];
    items[i].job.bytes = bytes.subspan(begin, entry.end - begin);
    items[i].memory = entry.memory;
    items[i].careful = entry.careful;
    items[i].group = this;
    begin = entry.end;
  }
}

void Group::answer(const Item& item, Answer answer) {
  answers[static_cast<std::size_t>(&item - items.data())] = std::move(answer);
  if (--left == 0) promise.set_value(std::move(answers));
}

void Pool::State::submit(const std::shared_ptr<Group>& group) {
  std::unique_lock lock(mutex);
  stats.jobs += group->items.size();
  if (!dead.empty()) {
    stats.answers += group->items.size();
    const std::string why = dead;
    lock.unlock();
    for (const Item& item : group->items) group->answer(item, {Answer::Kind::stopped, why, {}});
    return;
  }
  bool any_together = false, any_careful = false;
  for (Item& item : group->items) {
    (item.careful ? careful : together).emplace_back(group, &item);
    (item.careful ? any_careful : any_together) = true;
  }
  if (any_together) wake_one(false);
  if (any_careful) wake_one(true);
}

/// Prefers a worker thread that has a worker already.
void Pool::State::wake_one(bool careful_job) {
  WorkerThread* chosen = nullptr;
  for (const auto& thread : threads) {
    if (thread->careful() != careful_job || !thread->idle()) continue;
    if (chosen == nullptr || (chosen->process_id() == 0 && thread->process_id() != 0)) {
      chosen = thread.get();
    }
  }
  if (chosen != nullptr) chosen->wake();
}

/// Nothing else runs while a job may fault: a fault beside the work of another process is not what
/// drivers are best at. Where both kinds of jobs wait, the worker threads take turns.
bool Pool::State::must_wait(const WorkerThread& thread) const {
  const bool others_work = std::any_of(threads.begin(), threads.end(), [&](const auto& other) {
    return other->careful() != thread.careful() && other->active();
  });
  const std::deque<ItemPointer>& others_queue = thread.careful() ? together : careful;
  return others_work || (!others_queue.empty() && careful_last == thread.careful());
}

void Pool::State::rest(WorkerThread& thread) {
  const std::lock_guard lock(mutex);
  if (!thread.active()) return;
  thread.set_active(false);
  for (const auto& other : threads) {
    if (other->idle()) other->wake();
  }
}

std::vector<ItemPointer> Pool::State::take(WorkerThread& thread) {
  const bool is_careful = thread.careful();
  const std::lock_guard lock(mutex);
  std::vector<ItemPointer> batch;
  if (stopping) return batch;
  if (must_wait(thread)) {
    thread.set_idle(true);
    return batch;
  }
  std::deque<ItemPointer>& queue = is_careful ? careful : together;
  // Few at a time where the next one may end the worker, so that the others need not wait for it.
  const std::size_t most = is_careful ? 4 : options.batch;
  std::uint64_t bytes = 0;
  while (!queue.empty() && batch.size() < most) {
    bytes += queue.front()->memory;
    if (!batch.empty() && bytes > options.batch_bytes) break;
    ItemPointer item = std::move(queue.front());
    queue.pop_front();
    item->job.id = ++next_id;
    stats.reruns += item->attempts++ != 0;
    batch.push_back(std::move(item));
  }
  stats.batches += !batch.empty();
  thread.set_idle(batch.empty());
  if (!batch.empty()) {
    thread.set_active(true);
    careful_last = is_careful;
  }
  if (!queue.empty()) wake_one(is_careful);
  return batch;
}

void Pool::State::answer(ItemPointer item, Answer answer) {
  {
    const std::lock_guard lock(mutex);
    ++stats.answers;
    stats.faults += answer.kind == Answer::Kind::fault;
    stats.hangs += answer.kind == Answer::Kind::hang;
    stats.crashes += answer.kind == Answer::Kind::crash;
  }
  item->group->answer(*item, std::move(answer));
}

void Pool::State::bury(const std::string& why) {
  std::deque<ItemPointer> left;
  {
    const std::lock_guard lock(mutex);
    dead = why;
    left.swap(careful);
    std::move(together.begin(), together.end(), std::back_inserter(left));
    together.clear();
  }
  for (ItemPointer& item : left) answer(std::move(item), {Answer::Kind::stopped, why, {}});
}

void Pool::State::requeue(std::deque<ItemPointer> items, bool alone) {
  if (items.empty()) return;
  std::unique_lock lock(mutex);
  if (!dead.empty()) {
    const std::string why = dead;
    lock.unlock();
    for (ItemPointer& item : items) answer(std::move(item), {Answer::Kind::stopped, why, {}});
    return;
  }
  for (const ItemPointer& item : items) item->careful = alone;
  std::deque<ItemPointer>& queue = alone ? careful : together;
  queue.insert(queue.begin(), std::make_move_iterator(items.begin()),
               std::make_move_iterator(items.end()));
  wake_one(alone);
}

Pool::Pool(PoolOptions options) : state_(std::make_unique<State>(std::move(options))) {
  auto first = std::make_unique<WorkerThread>(*state_, false);
  try {
    state_->hello = first->open();
  } catch (...) {
    state_->stopping = true;
    throw;
  }
  state_->threads.push_back(std::move(first));
  const unsigned careful = std::max(1U, state_->options.careful_workers);
  for (unsigned i = 0; i < careful; ++i) {
    state_->threads.push_back(std::make_unique<WorkerThread>(*state_, true));
  }
  for (const auto& thread : state_->threads) thread->start();
}

Pool::~Pool() {
  if (state_ == nullptr) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    for (const auto& thread : state_->threads) thread->wake();
  }
  std::vector<std::unique_ptr<WorkerThread>> threads;
  {
    const std::lock_guard lock(state_->mutex);
    threads.swap(state_->threads);
  }
  threads.clear();  // joins
  for (auto* queue : {&state_->together, &state_->careful}) {
    while (!queue->empty()) {
      ItemPointer item = std::move(queue->front());
      queue->pop_front();
      state_->answer(std::move(item), {Answer::Kind::stopped, "the pool ended", {}});
    }
  }
}

std::future<std::vector<Answer>> Pool::submit(JobGroup jobs) {
  const auto group = std::make_shared<Group>(std::move(jobs));
  auto answers = group->promise.get_future();
  if (group->items.empty()) {
    group->promise.set_value({});
  } else {
    state_->submit(group);
  }
  return answers;
}

std::future<Answer> Pool::submit(const Job& job, bool careful) {
  JobGroup group;
  group.add(job, careful);
  return std::async(std::launch::deferred, [answers = submit(std::move(group))]() mutable {
    return std::move(answers.get().front());
  });
}

const Hello& Pool::device() const { return state_->hello; }

PoolStats Pool::stats() const {
  const std::lock_guard lock(state_->mutex);
  return state_->stats;
}

std::vector<long> Pool::workers() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<long> ids;
  for (const auto& thread : state_->threads) {
    if (thread->process_id() != 0) ids.push_back(thread->process_id());
  }
  return ids;
}

}  // namespace gauntlet::cuda
