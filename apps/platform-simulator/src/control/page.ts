/** The simulator's page: a phone that shows what the business sends, and answers. Served as it is; nothing comes from elsewhere. */
export const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>WhatsApp simulator</title><link rel="icon" href="data:,">
<style>
:root{font:15px/1.45 system-ui,sans-serif;color:#14211b;background:#e9efec}
body{margin:0;display:flex;gap:24px;flex-wrap:wrap;justify-content:center;padding:24px}
h1{font-size:18px;margin:0 0 12px}h2{font-size:15px;margin:18px 0 8px}
.phone{width:340px;max-width:100%;height:640px;background:#0b3b2e;border-radius:36px;padding:14px;box-shadow:0 12px 40px #0003;display:flex;flex-direction:column}
.bar{color:#fff;padding:8px 12px;font-weight:600}
.chat{flex:1;background:#efe7dd;border-radius:16px;overflow:auto;padding:12px;display:flex;flex-direction:column;gap:8px}
.bubble{max-width:80%;padding:7px 10px;border-radius:10px;background:#fff;white-space:pre-wrap;overflow-wrap:anywhere;align-self:flex-start}
.bubble.out{background:#d9fdd3;align-self:flex-end}.bubble small{display:block;color:#5a6b63;font-size:11px;margin-top:2px}
.bubble button{display:block;width:100%;margin-top:6px;background:#f2fbf6;border:1px solid #b7d8c8;border-radius:8px;padding:6px;color:#00664a}
form{display:flex;gap:8px;padding-top:10px}input,select{font:inherit;padding:9px 12px;border-radius:18px;border:1px solid #b9c8c0;min-width:0;background:#fff;color:inherit}
form input{flex:1}button{font:inherit;cursor:pointer;border:0;border-radius:18px;padding:9px 14px;background:#00805e;color:#fff}
aside{width:340px;max-width:100%;background:#fff;border-radius:16px;padding:18px;box-shadow:0 4px 18px #0001}
label{display:block;margin:10px 0 4px;font-weight:600}aside select,aside input{width:100%;box-sizing:border-box}
ul{padding-left:18px;margin:6px 0}code{background:#eef3f0;padding:1px 4px;border-radius:4px}.row{display:flex;gap:8px;flex-wrap:wrap;margin-top:8px}
.bubble img{display:block;max-width:100%;border-radius:8px;margin-bottom:4px}
.quiet{background:#e5efea;color:#0b3b2e}
</style></head><body>
<main class="phone"><div class="bar" id="title">A customer’s phone</div><div class="chat" id="chat" aria-live="polite"></div>
<form id="form"><input id="text" aria-label="Message" placeholder="Write as the customer" autocomplete="off"><button>Send</button>
<button type="button" class="quiet" id="photo">Photo</button></form></main>
<aside><h1>WhatsApp simulator</h1>
<label for="account">Business</label><select id="account"></select>
<label for="person">Customer</label><input id="person" list="people" value="12015550100"><datalist id="people"></datalist>
<h2>What happens next</h2><div class="row">
<button class="quiet" data-code="131026">Next message cannot be delivered</button>
<button class="quiet" data-code="131016">Platform overloaded</button>
<button class="quiet" data-code="190">Token expired</button>
<button class="quiet" id="clear">As usual again</button></div>
<label for="profile">The platform is</label><select id="profile"><option value="lenient">lenient: no limits</option>
<option value="realistic">realistic: 80 messages a second, limits per person, day and hour</option></select>
<h2>Everything that is here</h2><div class="row">
<button class="quiet" id="save">Save to a file</button><button class="quiet" id="open">Restore from a file</button>
<input type="file" id="file" accept="application/json" aria-label="Saved file" hidden></div>
<p id="done" role="status"></p>
<h2>One-time codes</h2><ul id="codes"><li>None yet</li></ul>
<h2>Test numbers +1 201 555 01NN</h2><ul>
<li><code>00</code> delivered and read, <code>02</code> phone is off</li><li><code>20</code>–<code>27</code> fail later, <code>30</code>–<code>54</code> are refused at once</li>
<li><code>60</code> answers, <code>61</code> writes STOP, <code>62</code> taps a button</li></ul>
</aside>
<script>
const $=(id)=>document.getElementById(id);const token=new URLSearchParams(location.search).get('token');
const ask=(method,path,body)=>fetch('/__sim/'+path,{method,body,headers:{...(body&&{'content-type':'application/json'}),...(token&&{authorization:'Bearer '+token})}});
const get=async(path)=>(await ask('GET',path)).json();const post=(path,body)=>ask('POST',path,JSON.stringify(body));
const say=(text)=>$('done').textContent=text;
let seen='';
async function accounts(){const {accounts}=await get('accounts');const now=$('account').value;
 $('account').replaceChildren(...accounts.map(a=>new Option(a.name+' (+'+a.display_phone_number+')',a.phone_number_id)));
 $('account').value=now||(accounts.find(a=>!/^7001002003004/.test(a.phone_number_id))||accounts[0]).phone_number_id;
 if(document.activeElement!==$('profile'))$('profile').value=(await get('profile')).profile;
 const {otps}=await get('otps');
 if(otps.length>0)$('codes').replaceChildren(...otps.map(o=>{const l=document.createElement('li');const c=document.createElement('code');c.textContent=o.code;l.append(c,' to '+o.to);return l}))}
async function look(){try{
 const {messages,people}=await get('phone?phone_number_id='+$('account').value+'&person='+encodeURIComponent($('person').value));
 const text=JSON.stringify([messages,people]);if(text===seen)return;seen=text;
 $('title').textContent='Phone of '+$('person').value;
 $('people').replaceChildren(...people.map(p=>new Option(p,p)));
 $('chat').replaceChildren(...messages.map(m=>{const b=document.createElement('div');b.className='bubble '+(m.direction==='out'?'out':'');
  if(m.media_id&&(m.type==='image'||m.type==='sticker')){const i=document.createElement('img');i.alt=m.type;i.src='/__sim/media/'+m.media_id+(token?'?token='+encodeURIComponent(token):'');b.append(i)}
  b.append(m.text);
  for(const {label,type,content} of m.buttons){const t=document.createElement('button');t.textContent=label;t.onclick=()=>write(type,content);b.append(t)}
  const s=document.createElement('small');s.textContent=new Date(m.at).toLocaleTimeString()+(m.direction==='in'?' · '+m.status:'');b.append(s);return b}));
 $('chat').scrollTop=$('chat').scrollHeight}catch{}}
const write=(type,content)=>post('inbound',{phone_number_id:$('account').value,from:$('person').value,name:'Phone page',type,...(type==='text'?{text:content}:content&&{content})}).then(look);
$('form').onsubmit=(e)=>{e.preventDefault();const t=$('text').value.trim();if(t){write('text',t);$('text').value=''}};
$('photo').onclick=()=>write('image');
for(const b of document.querySelectorAll('[data-code]'))b.onclick=()=>post('rules',{times:1,match:{to:$('person').value},error:{code:Number(b.dataset.code)}}).then(()=>say('The next message to this customer is refused with '+b.dataset.code+'.'));
$('clear').onclick=()=>ask('DELETE','rules').then(()=>say('Messages are accepted.'));
$('profile').onchange=()=>ask('PATCH','profile',JSON.stringify({profile:$('profile').value})).then(()=>say('The platform is '+$('profile').value+' now.'));
$('save').onclick=async()=>{const a=document.createElement('a');a.href=URL.createObjectURL(await(await ask('GET','snapshot')).blob());a.download='simulator.json';a.click();URL.revokeObjectURL(a.href);say('Saved, with the tokens and secrets of the accounts.')};
$('open').onclick=()=>$('file').click();
$('file').onchange=async()=>{const [file]=$('file').files;if(!file)return;const r=await ask('POST','snapshot',await file.text());$('file').value='';
 say(r.ok?'Restored.':'Not restored: '+(await r.json()).error.message);seen='';accounts().then(look)};
$('account').onchange=$('person').oninput=()=>{seen='';look()};
accounts().then(look);setInterval(look,700);setInterval(accounts,5000);
</script></body></html>
`;
